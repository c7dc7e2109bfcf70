import type { CallOptions, Query } from '../../../clients/gateway/connection.ts'
import { CliError, tokenHint, unreachableError } from './failure.ts'

/** Collector and gateway over HTTP, with errors in words. */
export type Gateway = {
  /** Any answer, whatever its status. @throws CliError `unreachable` */
  send(path: string, query: Query, options?: CallOptions): Promise<Response>
  /** An answer that is a success. @throws CliError with the problem that the server told, or `unreachable` */
  call(path: string, query: Query, options?: CallOptions): Promise<Response>
}

export const createGateway = (baseUrl: string, token: string | undefined): Gateway => {
  const send: Gateway['send'] = async (path, query, { method = 'GET', headers = {}, body } = {}) => {
    const url = new URL(`${baseUrl}${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(body ? { body, duplex: 'half' } : {}),
    }
    try {
      return await fetch(url, init)
    } catch (error) {
      throw unreachableError(baseUrl, 'server-url', error)
    }
  }
  return {
    send,
    call: async (path, query, options) => {
      const response = await send(path, query, options)
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
    hint: hintOf(status, code),
  })
}

const hintOf = (status: number, code: unknown): string => {
  if (code === 'not-empty') return 'Add --recursive to delete all that is in it.'
  if (code === 'exists') return 'Add --overwrite to replace it.'
  if (status === 404 && code === undefined) return 'Is this the listener of the gateway? See --server-url.'
  return tokenHint(status)
}
