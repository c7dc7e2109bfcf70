import { writeJson } from './json-text.ts'
import type { RequestTurns } from './turns.ts'

/** Characters that are encoded, and sent, at once. */
const chunkChars = 65_536

/** Answers with text that is made in turns, whole before its first byte is sent: until then a failure is an answer. */
export const answerInTurns = async (
  pieces: Iterable<string>,
  turns: RequestTurns,
  headers: Readonly<Record<string, string>>,
): Promise<Response> => {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let text = ''
  const endChunk = (): void => {
    chunks.push(encoder.encode(text))
    text = ''
  }
  await turns.each(pieces, piece => {
    text += piece
    if (text.length >= chunkChars) endChunk()
  })
  if (text !== '' || chunks.length === 0) endChunk()
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return new Response(chunks.length === 1 ? chunks[0] : sendInTurns(chunks, turns), {
    headers: { ...headers, 'cache-control': 'no-store', 'content-length': String(length) },
  })
}

/** Answers with JSON: see {@link answerInTurns}, {@link writeJson}. */
export const answerJson = (value: unknown, turns: RequestTurns): Promise<Response> =>
  answerInTurns(writeJson(value), turns, { 'content-type': 'application/json' })

const encoder = new TextEncoder()

const sendInTurns = (
  chunks: readonly Uint8Array<ArrayBuffer>[],
  turns: RequestTurns,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const rest = chunks.values()
  return new ReadableStream(
    {
      pull: async controller => {
        await turns.next()
        const { done, value } = rest.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}
