/**
 * Reads many files whole, some at a time, until the time is over, and at least twice; the first time does not count.
 *
 *     node test/bench/read-files.ts '{"path":"/tmp/part-*","files":5000,"bytes":4096,"atATime":16,"durationMs":2000}'
 *
 * prints a {@link ReadFilesResult} as one line of JSON.
 */
import { readFile } from 'node:fs/promises'
import { median } from './median.ts'

export type ReadFilesOptions = {
  /** Its `*` is replaced by the number of a file, from 0 on. */
  readonly path: string
  readonly files: number
  /** Of each file. */
  readonly bytes: number
  readonly atATime: number
  readonly durationMs: number
}

/** Of all files together: how often a second they are read, and how long that takes. */
export type ReadFilesResult = {
  readonly rate: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const run = async ({ path, files, bytes, atATime, durationMs }: ReadFilesOptions): Promise<ReadFilesResult> => {
  const readAll = async (): Promise<number> => {
    const startedAt = performance.now()
    const numbers = Array.from({ length: files }, (_, number) => number).values()
    const read = async (): Promise<void> => {
      for (const number of numbers) {
        const { length } = await readFile(path.replace('*', String(number)))
        if (length !== bytes) throw new Error(`File ${number} has ${length} bytes, not ${bytes}`)
      }
    }
    await Promise.all(Array.from({ length: atATime }, read))
    return performance.now() - startedAt
  }
  await readAll()
  const times: number[] = []
  const until = performance.now() + durationMs
  do times.push(await readAll())
  while (performance.now() < until)
  const maxMs = Math.max(...times)
  return { rate: 1_000 / median(times), p50Ms: median(times), p99Ms: maxMs, maxMs }
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2] ?? '')))}\n`)
