/**
 * The writer thread of `baseline.ts`, in both threads: one group at a time, in memory that they share. The writer sleeps
 * until a group is counted as posted, writes and syncs it, and counts it as done.
 */
import { fdatasyncSync, writeSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** What both threads have; `counts` are at {@link posted}, {@link done} and {@link length}. */
type Shared = {
  readonly fd: number
  readonly syncs: boolean
  readonly counts: Int32Array
  readonly bytes: Uint8Array
}

/** Where groups that were handed over are counted, those that are done, and the bytes of the one under way. */
const [posted, done, length] = [0, 1, 2]

/** A thread that writes groups to one file. */
export type GroupWriter = {
  /** Where a group is put before it is committed. */
  readonly bytes: Buffer
  /** Appends the first `byteLength` of `bytes`, which are left alone meanwhile; resolves when they are safe. */
  commit(byteLength: number): Promise<unknown>
  close(): Promise<unknown>
}

/** A failure ends the process. */
export const startGroupWriter = (fd: number, syncs: boolean, maxGroupBytes: number): GroupWriter => {
  const counts = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT))
  const bytes = Buffer.from(new SharedArrayBuffer(maxGroupBytes))
  const worker = new Worker(import.meta.filename, { workerData: { fd, syncs, counts, bytes } satisfies Shared })
  return {
    bytes,
    commit: async byteLength => {
      counts[length] = byteLength
      const before = Atomics.add(counts, posted, 1)
      Atomics.notify(counts, posted)
      await Atomics.waitAsync(counts, done, before).value
    },
    close: () => worker.terminate(),
  }
}

if (!isMainThread) {
  const { fd, syncs, counts, bytes } = workerData as Shared
  for (let group = 0; ; group++) {
    Atomics.wait(counts, posted, group)
    const end = counts[length] ?? 0
    for (let written = 0; written < end; ) written += writeSync(fd, bytes, written, end - written)
    if (syncs) fdatasyncSync(fd)
    Atomics.add(counts, done, 1)
    Atomics.notify(counts, done)
  }
}
