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
 * Goes on with the spool of a collector that is gone, as that collector itself would: under its id, with its ledger. So
 * whatever it had begun is settled as after any stop, and everything gets to its place once, also when this stops at
 * any point and is called again. The spool takes no events, and stays drained: its collector, should it come back, takes
 * none either.
 * @param open what opens it
 * @throws NoSpool when there is none; it is not made
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
