// node-only: the real disk, its lock, and two threads
import { chmod } from 'node:fs/promises'
import { resolve } from 'node:path'
import { makeRoot } from '../filesystem/local/durable.ts'
import { createSpool } from './create-spool.ts'
import { createNodeDisk } from './disk/node-disk.ts'
import { createWriter } from './disk/writer.ts'
import { lockSpool } from './lock.ts'
import { createSealer } from './sealer.ts'
import type { Spool } from './spool.ts'
import type { SpoolOptions } from './spool-options.ts'

/**
 * Opens the spool of a directory as the server runs it: locked, the log written by a thread of its own, sealing on
 * another one.
 * @throws SpoolLocked when another process runs on it
 */
export const openSpool = async (directory: string, options: Omit<SpoolOptions, 'disk' | 'seal'>): Promise<Spool> => {
  // First of all: a thread takes longer to start than everything else here.
  const writer = createWriter()
  const sealer = createSealer(directory)
  let unlock = (): void => {}
  const closeAll = async (): Promise<void> => {
    await Promise.all([writer.close(), sealer.close()])
    unlock()
  }
  try {
    // Events are nobody else's; in the file system that is for its permissions to say.
    if (await makeRoot(resolve(directory))) await chmod(directory, 0o700)
    unlock = lockSpool(directory)
    const disk = createNodeDisk({ directory, createFile: path => writer.create(path), onClose: closeAll })
    return await createSpool({ ...options, disk, seal: request => sealer.seal(request) })
  } catch (error) {
    await closeAll()
    throw error
  }
}
