// node-only: files
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockDirectory } from './lock.ts'
import { type BatchFile, recoverSpool } from './recovery.ts'
import { frameHeaderBytes, readFrames, type SpoolName, toFileName, toFrames } from './spool-file.ts'
import { createSpoolFile, type OpenFile, syncDirectory } from './spool-writer.ts'

export type { BatchFile } from './recovery.ts'

/** The spool cannot hold one more event. */
export class SpoolFull extends Error {
  override readonly name = 'SpoolFull'
}

/** The options of a spool. */
export type SpoolOptions = {
  readonly directory: string
  readonly form: string
  /** All files together. */
  readonly maxBytes: number
  /** A batch is closed at this many events, or bytes, or at this age. */
  readonly maxBatchEvents: number
  readonly maxBatchBytes: number
  readonly maxBatchAgeMs: number
  /** `fsync`: an appended event survives a loss of power; `written`: the end of the process. */
  readonly durability: 'fsync' | 'written'
  /** Runs something later, and gives what calls it off. */
  readonly schedule: (ms: number, run: () => void) => () => void
  /** A batch is waiting. */
  readonly onReady: () => void
}

/** Events on disk, in batches, in the order in which they came. */
export type Spool = {
  /** Resolves when the record is on disk; records of the same moment share one fsync. @throws SpoolFull */
  append(record: Uint8Array): Promise<void>
  /** Closes the batch that is open. */
  seal(): Promise<void>
  /** The oldest batch. */
  next(): BatchFile | undefined
  /** Its records; those before the damage where it has one. */
  read(batch: BatchFile): Promise<{ readonly records: Uint8Array[]; readonly isDamaged: boolean }>
  remove(batch: BatchFile): Promise<void>
  /** Puts two halves in its place, whose keys follow from its own. */
  split(batch: BatchFile, records: readonly Uint8Array[]): Promise<void>
  readonly bytes: number
  readonly batches: number
  close(): Promise<void>
}

type Pending = { readonly record: Uint8Array; readonly resolve: () => void; readonly reject: (error: unknown) => void }

/** Most bytes that wait in memory for the disk. */
const maxPendingBytes = 64 << 20

/** Opens a spool and recovers what is in it. @throws SpoolInUse, Error when it holds records of another form */
export const createSpool = async (options: SpoolOptions): Promise<Spool> => {
  const { directory, form, maxBytes, maxBatchEvents, maxBatchBytes } = options
  await mkdir(directory, { recursive: true })
  const unlock = lockDirectory(directory)
  const ready = await recoverSpool(directory, form).catch((error: unknown) => {
    unlock()
    throw error
  })
  let bytes = ready.reduce((sum, file) => sum + file.bytes, 0)
  let number = (ready.at(-1)?.name.number ?? 0) + 1
  let pending: Pending[] = []
  let pendingBytes = 0
  let open: OpenFile | undefined
  let cancelAge = (): void => {}
  let last: Promise<unknown> = Promise.resolve()

  /** One thing after another: writes, seals and splits never meet. */
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run)
    last = result.catch(() => {})
    return result
  }
  const sealNow = async (): Promise<void> => {
    const file = open
    open = undefined
    cancelAge()
    if (file === undefined) return
    const sealed = await file.seal()
    if (sealed === undefined) return
    ready.push(sealed)
    options.onReady()
  }
  const openFile = async (): Promise<OpenFile> => {
    if (open !== undefined) return open
    const name: SpoolName = { number: number++, uuid: randomUUID(), halves: '', form, state: 'open' }
    open = await createSpoolFile(directory, name, options.durability)
    cancelAge = options.schedule(options.maxBatchAgeMs, () => void inTurn(sealNow).catch(() => {}))
    return open
  }
  const writePending = async (): Promise<void> => {
    while (pending.length > 0) {
      const taken = takeBatch(pending, maxBatchEvents - (open?.events ?? 0), maxBatchBytes)
      pending = pending.slice(taken.length)
      const records = taken.map(one => one.record)
      pendingBytes -= sizeOf(records)
      try {
        const file = await openFile()
        await file.append(records)
        for (const { resolve } of taken) resolve()
        if (file.events >= maxBatchEvents || file.bytes >= maxBatchBytes) await sealNow().catch(() => {})
      } catch (error) {
        bytes -= sizeOf(records)
        for (const { reject } of taken) reject(error)
        await sealNow().catch(() => {})
      }
    }
  }
  return {
    append: record => {
      const size = sizeOf([record])
      if (bytes + size > maxBytes) {
        return Promise.reject(new SpoolFull(`The spool ${directory} holds ${bytes} of ${maxBytes} bytes`))
      }
      if (pendingBytes + size > maxPendingBytes && pending.length > 0) {
        return Promise.reject(
          new SpoolFull(`The disk of ${directory} does not keep up: ${pendingBytes} bytes wait for it`),
        )
      }
      bytes += size
      pendingBytes += size
      return new Promise<void>((resolve, reject) => {
        pending.push({ record, resolve, reject })
        if (pending.length === 1) void inTurn(writePending)
      })
    },
    seal: () => inTurn(sealNow),
    next: () => ready[0],
    read: async ({ path }) => {
      const content = await readFile(path)
      const { records, end } = readFrames(content)
      return { records, isDamaged: end < content.length }
    },
    remove: async batch => {
      await rm(batch.path, { force: true })
      ready.splice(ready.indexOf(batch), 1)
      bytes -= batch.bytes
    },
    split: (batch, records) =>
      inTurn(async () => {
        const middle = records.length >> 1
        const parts = [records.slice(0, middle), records.slice(middle)]
        const halves: BatchFile[] = []
        for (const [index, part] of parts.entries()) {
          const name = { ...batch.name, halves: `${batch.name.halves}.${index}` }
          const path = join(directory, toFileName(name))
          await writeFile(`${path}.tmp`, toFrames(part), { flush: options.durability === 'fsync' })
          await rename(`${path}.tmp`, path)
          halves.push({ name, path, bytes: sizeOf(part) })
        }
        await syncDirectory(directory)
        await rm(batch.path)
        ready.splice(ready.indexOf(batch), 1, ...halves)
      }),
    get bytes() {
      return bytes
    },
    get batches() {
      return ready.length
    },
    close: async () => {
      try {
        await inTurn(sealNow)
      } finally {
        unlock()
      }
    },
  }
}

const sizeOf = (records: readonly Uint8Array[]): number =>
  records.reduce((sum, record) => sum + frameHeaderBytes + record.length, 0)

/** As many as one batch takes, at least one. */
const takeBatch = (pending: readonly Pending[], maxEvents: number, maxBytes: number): readonly Pending[] => {
  let count = 0
  for (let bytes = 0; count < pending.length && count < Math.max(1, maxEvents) && bytes < maxBytes; count++) {
    bytes += pending[count]?.record.length ?? 0
  }
  return pending.slice(0, count)
}
