// node-only: the real disk, its lock, and threads
import { chmod } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Disk } from '../disk/disk.ts'
import { createNodeDisk } from '../disk/node-disk.ts'
import { createWriter } from '../disk/writer.ts'
import { makeRoot } from '../filesystem/local/durable.ts'
import { guard } from '../filesystem/local/errors.ts'
import type { Logger } from '../log/log.ts'
import { createSpool } from './create-spool.ts'
import { lockSpool } from './directory/lock.ts'
import { poolSealings } from './seal/pool.ts'
import { createSealer, type LookUpFields, type Sealer } from './seal/sealer.ts'
import type { Spool } from './spool.ts'
import type { SpoolOptions } from './spool-options.ts'
import { openTableDesk } from './tables/table-desk.ts'

/** Options of {@link openSpool}. */
export type OpenSpoolOptions = Omit<SpoolOptions, 'disk' | 'sealing'> & {
  /** What a schema registry knows of an event type. @default nothing */
  readonly fieldsOf?: LookUpFields
  /** Threads that seal segments. @default 1 */
  readonly sealThreads?: number
  /** Looks at the directory before anything of it is read, while it is locked. @default nothing */
  readonly prepare?: ((disk: Disk) => Promise<unknown>) | undefined
}

const toEndLine =
  (log: Logger, does: string) =>
  (err: Error): void =>
    log.error({ reason: err.message, err }, `the thread that ${does} ended; another one starts`)

/**
 * Opens the spool of a directory as the server runs it: locked, the log written by a thread of its own, sealing on
 * others.
 * @throws SpoolLocked when another process runs on it
 */
export const openSpool = async (directory: string, options: OpenSpoolOptions): Promise<Spool> => {
  // First of all: a thread takes longer to start than everything else here.
  const writer = createWriter({
    onEnd: toEndLine(options.log, 'writes the log'),
    onRestored: ({ restored: file, bytes }) =>
      options.log.error({ file, bytes }, 'an open file of the spool was deleted, and is restored with all its data'),
  })
  const sealers: Sealer[] = []
  const tables = options.tables ?? openTableDesk(options)
  const sealing = poolSealings(options.sealThreads ?? 1, () => {
    const sealer = createSealer({
      directory,
      onEnd: toEndLine(options.log, 'seals segments'),
      tableOf: tables.tableOf,
      ...(options.fieldsOf ? { lookUp: options.fieldsOf } : {}),
    })
    sealers.push(sealer)
    return sealer
  })
  let unlock = (): void => {}
  const closeAll = async (): Promise<void> => {
    await Promise.all([writer.close(), ...sealers.map(sealer => sealer.close())])
    unlock()
  }
  try {
    // Events are private to the server's user; in the file system its permissions decide.
    if (await guard('use', directory, () => makeRoot(resolve(directory)))) await chmod(directory, 0o700)
    unlock = lockSpool(directory)
    await options.prepare?.(createNodeDisk({ directory }))
    const disk = createNodeDisk({ directory, createFile: path => writer.create(path), onClose: closeAll })
    return await createSpool({ ...options, disk, sealing, tables })
  } catch (error) {
    await closeAll()
    throw error
  }
}
