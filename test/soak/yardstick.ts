import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createLatencies } from './latencies.ts'

/** What the machine itself takes for the least that an acknowledged event needs. */
export type Yardstick = {
  /** 99 % of the syncs since the last call took at most so long, from when they were due. */
  take(): number
  stop(): Promise<void>
}

const everyMs = 50
const bytes = Buffer.alloc(512, 'x')

/**
 * Writes 512 bytes to a file in `directory` with `fdatasync`, twenty times a second, beside the server and without it:
 * a latency of intake that rises together with this one is the machine's.
 */
export const startYardstick = async (directory: string): Promise<Yardstick> => {
  const file = await open(join(directory, 'yardstick'), 'w')
  let latencies = createLatencies()
  const stopping = new AbortController()
  const all = (async () => {
    for (
      let dueAt = performance.now();
      !stopping.signal.aborted;
      dueAt = Math.max(dueAt + everyMs, performance.now())
    ) {
      await setTimeout(Math.max(0, dueAt - performance.now()))
      // A timer may be early by a part of a millisecond.
      const since = Math.min(dueAt, performance.now())
      await writeAndSync(file)
      latencies.record(performance.now() - since)
    }
  })()
  return {
    take: () => {
      const ended = latencies
      latencies = createLatencies()
      return ended.percentile(0.99)
    },
    stop: async () => {
      stopping.abort()
      await all
      await file.close()
    },
  }
}

/** Always at the start: the file does not grow. */
const writeAndSync = async (file: FileHandle): Promise<void> => {
  await file.write(bytes, 0, bytes.length, 0)
  await file.datasync()
}
