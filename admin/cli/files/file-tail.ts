import { setTimeout as sleep } from 'node:timers/promises'
import { unbroken } from '../../../clients/gateway/read-rows.ts'
import type { GatewayCalls } from './gateway.ts'
import { getFileStatus, openAt } from './webhdfs.ts'

/** Bytes that are looked through at a time for the ends of lines: at first, and for lines that are long. */
const [minBlock, maxBlock] = [1 << 16, 1 << 22]

/** Where the last lines of a file begin. Holds one block, however long a line is. */
export const findLastLines = async (
  gateway: GatewayCalls,
  path: string,
  size: number,
  lines: number,
): Promise<number> => {
  if (lines === 0) return size
  let left = lines
  let block = minBlock
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - block)
    const bytes = new Uint8Array(await new Response(await openAt(gateway, path, begin, end - begin)).arrayBuffer())
    // What ends the last line begins no other.
    const last = begin + bytes.length === size ? bytes.length - 2 : bytes.length - 1
    for (let at = last; at >= 0; at--) if (bytes[at] === newline && --left === 0) return begin + at + 1
    end = begin
    block = Math.min(maxBlock, block * 2)
  }
  return 0
}

const newline = 10

/** How {@link followFile} continues. */
export type FollowOptions = {
  /** Between two looks at the size, in ms. */
  readonly everyMs: number
  readonly signal: AbortSignal
  /** Hears that the file has become shorter, and is read from its start. */
  readonly onTruncated: () => void
}

/** The bytes of a file from an offset on, and what is added to it, until the signal. */
export async function* followFile(
  gateway: GatewayCalls,
  path: string,
  from: number,
  { everyMs, signal, onTruncated }: FollowOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  let offset = from
  while (!signal.aborted) {
    const { size } = await getFileStatus(gateway, path)
    if (size < offset) {
      onTruncated()
      offset = 0
    }
    if (size > offset) {
      for await (const chunk of unbroken(await openAt(gateway, path, offset, size - offset))) {
        offset += chunk.length
        yield chunk
        if (signal.aborted) return
      }
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
}
