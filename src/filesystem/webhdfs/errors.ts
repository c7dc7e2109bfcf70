/** What a node of WebHDFS answers that is not a success. */
import { RemoteException, remoteOf, toRemoteRefusal } from '../cluster/remote-exception.ts'
import type { FileSystemError } from '../filesystem.ts'

/** Whether a cluster is too old to know an operation, or is something like HttpFS that does not have it. */
export const isUnknownOperation = (error: unknown, op: string): boolean => {
  const remote = remoteOf(error)
  return remote !== undefined && [400, 501].includes(remote.httpStatus) && isAbout(remote.message, op)
}

const isAbout = (message: string, op: string): boolean => message.includes(op) || /\bop\b/.test(message)

/**
 * The error for an answer that is not a success. `text` is its body, a `RemoteException` in JSON or anything at all.
 * Nothing of a body without one is repeated: it may be a page of a proxy.
 */
export const toRemoteError = (status: number, text: string, action: string, path: string): FileSystemError =>
  toRemoteRefusal(parseRemoteException(status, text), action, path)

/** Longest message that is repeated, in UTF-16 units. */
const maxMessageLength = 400

const parseRemoteException = (status: number, text: string): RemoteException => {
  try {
    const { RemoteException: remote } = JSON.parse(text) as { RemoteException?: Record<string, unknown> }
    if (remote && typeof remote['exception'] === 'string') {
      const [line = ''] = typeof remote['message'] === 'string' ? remote['message'].split('\n') : []
      const message = line.replaceAll(/(delegation|token)=[^&\s]+/gi, '$1=…').slice(0, maxMessageLength)
      const javaClassName = typeof remote['javaClassName'] === 'string' ? remote['javaClassName'] : ''
      return new RemoteException(remote['exception'], status, message || remote['exception'], javaClassName)
    }
  } catch {
    // Not JSON: below.
  }
  const [, ...kerberos] = kerberosReason.exec(text) ?? []
  const words = kerberos.filter(part => part !== undefined).join(': ')
  const reason = words === '' ? 'without a reason that Hadoop gives' : `because of Kerberos: ${words}`
  return new RemoteException('', status, `the answer is HTTP ${status} ${reason}`)
}

/**
 * What Java has against a ticket (`GSSException`), on a page: words, with a number where the KDC has one for them, and more
 * words; nothing of a request. `Clock skew too great (37)`, `Checksum failed`, `Invalid argument (400) - Cannot find key of
 * appropriate type to decrypt AP-REQ - AES256 CTS mode with HMAC SHA1-96`.
 */
const kerberosReason =
  /\(Mechanism level: ([A-Z][A-Za-z '-]{2,80}?)(?: \(\d{1,3}\))?(?: - ([A-Z][A-Za-z '-]{2,80}?))?(?: - [A-Za-z\d -]{1,60})?\)/
