/** How much of an answer is taken from a name node or data node, in bytes: the server there may be anything. */
import type { ByteSource } from '../../../bytes/byte-stream.ts'

/** Of an error, a redirect, the word that an upload is complete: an exception with its stack. The rest is not looked at. */
export const maxErrorBytes = 64 * 1024

/** Of one status, or a yes or no. */
export const maxJsonBytes = 1024 * 1024

/** Of a page of a listing: some 1 000 entries (`dfs.ls.limit`), at the most 1 KB of JSON each where names are long. */
export const maxPageBytes = 16 * 1024 * 1024

/** Of a listing of an old cluster that cannot page: some 250 000 entries. */
export const maxListingBytes = 128 * 1024 * 1024

/** The body of an answer as text; rejects with code `ANSWER_TOO_LARGE` as soon as there is more than `maxBytes`. */
export const readLimited = async (body: ByteSource, maxBytes: number): Promise<string> => {
  const { text, isWhole } = await readStart(body, maxBytes)
  if (isWhole) return text
  throw Object.assign(new RangeError(`the answer is larger than ${maxBytes} bytes`), { code: 'ANSWER_TOO_LARGE' })
}

/** The body of an answer that is an error, as text: no more than its start, for its status says enough without it. */
export const readError = async (body: ByteSource): Promise<string> => (await readStart(body, maxErrorBytes)).text

const readStart = async (
  body: ByteSource,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  for (let part = await body.read(); part !== undefined; part = await body.read()) {
    bytes += part.length
    if (bytes > maxBytes) {
      body.cancel()
      return { text: toText(parts), isWhole: false }
    }
    parts.push(part)
  }
  return { text: toText(parts), isWhole: true }
}

const toText = (parts: readonly Uint8Array[]): string => {
  const [first = new Uint8Array(0), ...more] = parts
  return decoder.decode(more.length === 0 ? first : Buffer.concat(parts))
}

const decoder = new TextDecoder()
