import { RpcUnreachable } from '../../client/errors.ts'
import type { Address } from '../command/address.ts'
import { CliError, tokenHint } from '../command/failure.ts'

/** A message of `/live`: its name, its data as the server wrote them, numbers exact, and of an event its number. */
export type LiveMessage = { readonly event: string; readonly id: string; readonly data: string }

/** Longest message that is waited for, in characters: more than the server ever sends. */
const maxMessageChars = 4 << 20

/**
 * Follows `/live` of a management listener until the server ends it.
 * @throws RpcUnreachable when the server does not answer or the connection breaks; CliError when the server refuses
 */
export async function* followLive(
  { url, token }: Pick<Address, 'url' | 'token'>,
  query: URLSearchParams,
  signal: AbortSignal,
): AsyncGenerator<LiveMessage> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  try {
    const response = await fetch(`${url}/live?${query.toString()}`, { headers, signal })
    if (!response.ok || !response.body) throw toRefusal(response.status, await response.json().catch(() => undefined))
    yield* readMessages(response.body)
  } catch (error) {
    throw error instanceof CliError ? error : new RpcUnreachable(url, error)
  }
}

/**
 * Decides which messages are new: after a reconnect, a server that is still running sends the refused events that it
 * keeps once more. Their numbers rise; a restarted server starts over, and says so by its `hello`.
 */
export const createNews = (): ((message: LiveMessage) => boolean) => {
  let server = ''
  let last = 0
  return ({ event, id, data }) => {
    if (event === 'hello' && data !== server) [server, last] = [data, 0]
    if (id === '') return true
    if (Number(id) <= last) return false
    last = Number(id)
    return true
  }
}

/** Messages of server-sent events (WHATWG HTML, 9.2), as this server writes them: each ends with an empty line. */
async function* readMessages(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<LiveMessage> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      yield { event: fieldOf(lines, 'event: '), id: fieldOf(lines, 'id: '), data: fieldOf(lines, 'data: ') }
    }
    if (text.length > maxMessageChars) throw new Error(`a message of more than ${maxMessageChars} characters`)
  }
}

const fieldOf = (lines: readonly string[], field: string): string =>
  lines.find(line => line.startsWith(field))?.slice(field.length) ?? ''

const toRefusal = (status: number, problem: unknown): CliError => {
  const { code, detail } = (typeof problem === 'object' && problem !== null ? problem : {}) as Record<string, unknown>
  const hint = code === undefined || status === 404 ? 'Is this the management listener? See --url.' : tokenHint(status)
  return new CliError(typeof detail === 'string' ? detail : `The server answered HTTP ${status}`, {
    code: typeof code === 'string' ? code : `http-${status}`,
    hint,
  })
}
