import type { CallOptions, Query } from '../../../clients/gateway/connection.ts'
import { isRecord } from '../../../src/is-record.ts'
import { CliError, overwriteHint, tokenHint, unreachableError } from '../command/failure.ts'

/** Collector and gateway over HTTP, with errors in words. */
export type GatewayCalls = {
  /** Any answer, whatever its status. @throws CliError `unreachable` */
  send(path: string, query: Query, options?: CallOptions): Promise<Response>
  /** A successful answer. @throws CliError with the server's problem, or `unreachable` */
  call(path: string, query: Query, options?: CallOptions): Promise<Response>
}

export const createGatewayCalls = (baseUrl: string, token: string | undefined): GatewayCalls => {
  const send: GatewayCalls['send'] = async (path, query, { method = 'GET', headers = {}, body, signal } = {}) => {
    const url = new URL(`${baseUrl}${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(body ? { body, duplex: 'half' } : {}),
      ...(signal ? { signal } : {}),
    }
    try {
      return await fetch(url, init)
    } catch (error) {
      signal?.throwIfAborted()
      throw unreachableError(baseUrl, 'server-url', error)
    }
  }
  return {
    send,
    call: async (path, query, options) => {
      const response = await send(path, query, options)
      if (response.ok || options?.allow?.includes(response.status)) return response
      throw toError(response.status, await response.json().catch(() => undefined))
    },
  }
}

const toError = (status: number, answer: unknown): CliError => {
  const problem = isRecord(answer) ? answer : {}
  const exception = problem['RemoteException']
  const { code, detail, title } = isRecord(exception) ? ofRemoteException(exception) : problem
  const message = [detail, title].find(one => typeof one === 'string') ?? `The server answered HTTP ${status}`
  return new CliError(String(message), {
    code: typeof code === 'string' ? code : `http-${status}`,
    hint: hintOf(status, code),
  })
}

/** An error of the WebHDFS API, with the code that the gateway's own API has for it. */
const ofRemoteException = ({ exception, message }: Readonly<Record<string, unknown>>) => ({
  code: codesOfExceptions[String(exception)],
  detail: message,
  title: exception,
})

const codesOfExceptions: Readonly<Record<string, string>> = {
  AccessControlException: 'denied',
  AuthenticationException: 'unauthenticated',
  FileAlreadyExistsException: 'exists',
  FileNotFoundException: 'not-found',
  IllegalArgumentException: 'bad-parameter',
  InvalidPathException: 'bad-path',
  ParentNotDirectoryException: 'not-directory',
  PathIsNotEmptyDirectoryException: 'not-empty',
  QuotaExceededException: 'quota-exceeded',
  RetriableException: 'unavailable',
  UnsupportedOperationException: 'unsupported',
}

/** Hadoop's API says 403 for these. */
const isNoMatterOfTokens: ReadonlySet<unknown> = new Set(['not-directory', 'unsupported', 'quota-exceeded'])

const hintOf = (status: number, code: unknown): string => {
  if (code === 'not-empty') return 'Add --recursive to delete all that is in it.'
  if (code === 'exists') return overwriteHint
  if (status === 404 && code === undefined)
    return 'Is this the listener of the gateway? See --server-url and SLUICE_GATEWAY_URL.'
  return isNoMatterOfTokens.has(code) ? '' : tokenHint(status)
}
