import type { Connection } from '../../../clients/gateway/connection.ts'
import { createSluiceClient, type SluiceClient } from '../../../clients/generated/client.ts'
import { CliError, exitCodes, tokenHint, unreachableError } from './failure.ts'

/** Collector and gateway over HTTP, with errors in words. */
export type Gateway = Pick<Connection, 'call'> & {
  /** The generated client; use its calls within {@link Gateway.ask}. */
  readonly client: SluiceClient
  /** The data of an answer. @throws CliError with the problem that the server told, or `unreachable` */
  readonly ask: <T>(
    call: Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>,
  ) => Promise<T>
}

export const createGateway = (options: { readonly baseUrl: string; readonly token: string | undefined }): Gateway => {
  const { baseUrl, token } = options
  const reach = async (request: Request): Promise<Response> => {
    try {
      return await fetch(request)
    } catch (error) {
      throw unreachableError(baseUrl, 'server-url', error)
    }
  }
  return {
    client: createSluiceClient({ baseUrl, fetch: reach, ...(token === undefined ? {} : { token }) }),
    ask: async call => {
      const { data, error, response } = await call
      if (data === undefined || error !== undefined) throw toError(response.status, error)
      return data
    },
    call: async (path, query, { method = 'GET', headers = {}, body } = {}) => {
      const url = new URL(`${baseUrl}${path}`)
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, String(value))
      const init: RequestInit & { duplex?: 'half' } = {
        method,
        headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
        ...(body ? { body, duplex: 'half' } : {}),
      }
      const response = await reach(new Request(url, init))
      if (response.ok) return response
      throw toError(response.status, await response.json().catch(() => undefined))
    },
  }
}

const toError = (status: number, problem: unknown): CliError => {
  const { code, detail, title } =
    typeof problem === 'object' && problem !== null ? (problem as Record<string, unknown>) : {}
  const message = [detail, title].find(one => typeof one === 'string') ?? `The server answered HTTP ${status}`
  return new CliError(String(message), {
    code: typeof code === 'string' ? code : `http-${status}`,
    exitCode: exitCodes.failed,
    hint: hintOf(status, code),
  })
}

const hintOf = (status: number, code: unknown): string => {
  if (code === 'not-empty') return 'Add --recursive to delete all that is in it.'
  if (code === 'exists') return 'Add --overwrite to replace it.'
  if (status === 404 && code === undefined) return 'Is this the listener of the gateway? See --server-url.'
  return tokenHint(status)
}
