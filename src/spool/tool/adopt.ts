// node-only: the real disk and its lock
import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { createNodeDisk } from '../../disk/node-disk.ts'
import { type Destination, readDestination } from '../directory/destination.ts'
import { checkFormats } from '../directory/formats.ts'
import { type OpenSpoolOptions, openSpool } from '../open-spool.ts'
import type { Spool } from '../spool.ts'
import { NoSpool } from './view.ts'

/**
 * Where the events of a lost collector's spool go; undefined where it does not remember that. Changes nothing.
 * @throws NoSpool, UnknownFormat
 */
export const readPlace = async (directory: string): Promise<Destination | undefined> => {
  if (!existsSync(join(directory, 'id'))) throw new NoSpool(directory)
  const disk = createNodeDisk({ directory })
  await checkFormats(disk)
  return await readDestination(disk)
}

/**
 * Continues the spool of a lost collector, as that collector itself would: under its id, with its ledger. So everything
 * it had begun is settled as after any stop, and is delivered exactly once, also when this stops at any point and is
 * called again. The spool accepts no events and remains drained: if its collector comes back, it accepts none either.
 * @param open opens the spool
 * @throws NoSpool when there is no spool; it is not created
 * @throws SpoolLocked while a process runs on it
 * @throws UnknownFormat when a later version wrote it
 * @throws Error when nothing can be written there
 */
export const adoptSpool = async (directory: string, options: OpenSpoolOptions, open = openSpool): Promise<Spool> => {
  if (!existsSync(join(directory, 'id'))) throw new NoSpool(directory)
  await access(directory, constants.W_OK).catch(cause => {
    const { code } = cause as NodeJS.ErrnoException
    const message = `The spool ${directory} cannot be written (${code}): what has gone is noted there. Adopt it where it can be, or a copy of it`
    throw new Error(message, { cause })
  })
  const spool = await open(directory, options)
  try {
    await spool.drain()
    return spool
  } catch (error) {
    await spool.close()
    throw error
  }
}
