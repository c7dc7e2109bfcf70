/** What a name node or data node refused, in the words of {@link FileSystemError}, whichever way it was asked. */
import { FileSystemError, type FileSystemErrorCode } from '../filesystem.ts'

/** The `RemoteException` of an answer: Hadoop's class name without its package, and the first line of its message. */
export class RemoteException extends Error {
  override readonly name = 'RemoteException'
  readonly exception: string
  /** HTTP status of the answer, or the one that WebHDFS would have given it. */
  readonly httpStatus: number
  /** With its package; empty where the answer does not say. */
  readonly javaClassName: string

  constructor(exception: string, httpStatus: number, message: string, javaClassName = '') {
    super(message)
    this.exception = exception
    this.httpStatus = httpStatus
    this.javaClassName = javaClassName
  }
}

/** It could not be said who calls, so nothing was sent. */
export class NotProven extends Error {
  override readonly name = 'NotProven'
}

/** Whether a node does not know, or no longer takes, what says who calls. Nothing was done, and it says nothing of rights. */
export const isRefusedProof = (error: unknown): boolean => {
  const remote = remoteOf(error)
  return remote !== undefined && isAboutProof(remote)
}

const isAboutProof = ({ exception, httpStatus, message }: RemoteException): boolean =>
  httpStatus === 401 || exception === 'InvalidToken' || wrappedInvalidToken.test(message)

/** How a name node wraps it (Hadoop's `UserProvider`). Anchored at the start: the rest may quote the caller. */
const wrappedInvalidToken = /^Failed to obtain user group information: [\w.]+\$InvalidToken: /

/** Whether a failed call took effect. `no` may be sent again whatever it does, `unknown` only what may happen twice. */
export type Effect = 'no' | 'unknown' | 'final'

/** Exceptions whose meaning does not depend on the call. Everything else is `unavailable`. */
const codes: Readonly<Record<string, FileSystemErrorCode>> = {
  AccessControlException: 'denied',
  AuthorizationException: 'denied',
  SecurityException: 'denied',
  SnapshotAccessControlException: 'denied',
  FileNotFoundException: 'not-found',
  FileAlreadyExistsException: 'exists',
  PathExistsException: 'exists',
  PathIsDirectoryException: 'is-directory',
  PathIsNotEmptyDirectoryException: 'not-empty',
  ParentNotDirectoryException: 'not-directory',
  PathIsNotDirectoryException: 'not-directory',
  InvalidPathException: 'bad-path',
  IllegalArgumentException: 'bad-path',
  PathComponentTooLongException: 'bad-path',
  UnresolvedPathException: 'bad-path',
  UnsupportedOperationException: 'unsupported',
  MaxDirectoryItemsExceededException: 'quota-exceeded',
  QuotaExceededException: 'quota-exceeded',
  NSQuotaExceededException: 'quota-exceeded',
  DSQuotaExceededException: 'quota-exceeded',
  QuotaByStorageTypeExceededException: 'quota-exceeded',
  ClusterStorageCapacityExceededException: 'quota-exceeded',
}

/** Exceptions that a name node throws before it does anything: another node, or a later call, may succeed. */
const notNow = ['StandbyException', 'ObserverRetryOnActiveException', 'RetriableException', 'SafeModeException']

/** Whether another name node is worth asking at once. */
export const isElsewhere = (error: unknown): boolean => {
  const remote = remoteOf(error)
  return !remote || ['StandbyException', 'ObserverRetryOnActiveException', ''].includes(remote.exception)
}

/** Whether a name node is there and takes the call a little later, or another one does: in standby, or busy with a start. */
export const isNotYet = (error: unknown): boolean =>
  ['StandbyException', 'RetriableException'].includes(remoteOf(error)?.exception ?? '')

/** The remote exception behind an error of this file system, if there is one. */
export const remoteOf = (error: unknown): RemoteException | undefined => {
  let at = error
  // An error behind a mount point speaks of another path, and has the one of the cluster as its cause.
  while (at instanceof FileSystemError) at = at.cause
  return at instanceof RemoteException ? at : undefined
}

/** Whether a call that was answered with this error took effect. */
export const effectOf = (error: FileSystemError): Effect => {
  const remote = remoteOf(error)
  if (!remote) return error.cause instanceof NotProven || isNotSent(error.cause) ? 'no' : 'unknown'
  if (notNow.includes(remote.exception) || remote.httpStatus === 429) return 'no'
  if (/NameNode still not started|Namenode is in startup mode/i.test(remote.message)) return 'no'
  return remote.httpStatus >= 500 || remote.exception === '' ? 'unknown' : 'final'
}

/** What a node refused to do. */
export const toRemoteRefusal = (remote: RemoteException, action: string, path: string): FileSystemError =>
  new FileSystemError(toCode(remote), path, `Cannot ${action} "${path}": ${remote.message}`, { cause: remote })

/** The code of a connection that was not let in in time. */
export const connectTimeout = 'ERR_CONNECT_TIMEOUT'

/** Codes of network errors after which nothing can have been sent: undici, Node, Bun, and a socket of our own. */
const notSentCodes = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  connectTimeout,
  'ConnectionRefused',
  'FailedToOpenSocket',
]

/** Whether a network error says that no connection was made. */
export const isNotSent = (error: unknown): boolean => {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && notSentCodes.includes(String(at.code))) return true
  }
  return false
}

/** Network failures as {@link FileSystemError}; `peer` is a host and port, never a URL, which may hold a token. */
export const toNetworkError = (cause: unknown, peer: string, action: string, path: string): FileSystemError =>
  new FileSystemError('unavailable', path, `Cannot ${action} "${path}": ${peer} ${reasonOf(cause)}`, { cause })

const reasonOf = (error: unknown): string => {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Za-z_]+$/.test(at.code)) return `failed with ${at.code}`
  }
  return 'broke the connection'
}

const toCode = (remote: RemoteException): FileSystemErrorCode => {
  const { exception, message } = remote
  if (isAboutProof(remote)) return 'unavailable'
  if (/is a directory|already exists as a directory|Path is not a file/.test(message)) return 'is-directory'
  if (/Parent path is not a directory|Path is not a directory/.test(message)) return 'not-directory'
  if (/^(Requested replication factor|Specified block size|Invalid (path|file) name)/.test(message)) return 'bad-path'
  // For a path below a file: a call that creates nothing there gets a lack of rights. One that does gets the truth.
  if (exception === 'AccessControlException' && message.endsWith('(is not a directory)')) return 'not-found'
  if (message.startsWith('Access time for hdfs is not configured')) return 'unsupported'
  return Object.hasOwn(codes, exception) ? (codes[exception] ?? 'unavailable') : 'unavailable'
}
