// node-only: spools with threads
import { join } from 'node:path'
import { createNodeDisk } from '../../disk/node-disk.ts'
import { type Destination, readDestination } from '../directory/destination.ts'
import { type OpenSpoolOptions, openSpool } from '../open-spool.ts'
import { createReplica } from '../replica/replica.ts'
import type { SpoolSettings } from '../spool-settings.ts'
import type { AdoptLogOptions } from './adopt-log.ts'

/** How the spools of others are opened: as our own. */
export type OpenTakenOptions = Omit<OpenSpoolOptions, 'replica' | 'temporaryDirectory' | 'prepare' | 'onBroken'>

/**
 * Makes the function that continues the spool of a taken log, with what its files were like before.
 * @param directory that has it, by the id of its collector
 */
export const createOpenTaken = (
  directory: string,
  { outputDirectory, ...options }: OpenTakenOptions & { readonly outputDirectory: string },
): AdoptLogOptions['open'] => {
  const { fileSystem, settings, log, now = Date.now } = options
  return async ({ id, name: owner }, temporaryDirectory) => {
    const place = join(directory, id)
    const remembered = await readDestination(createNodeDisk({ directory: place, isPrivate: true }))
    const replicated = () => settings().replicated
    const copy = { fileSystem, outputDirectory, settings: replicated, log, now, owner, onFenced: () => {} }
    return await openSpool(place, {
      ...options,
      settings: () => ({ ...settings(), ...(remembered ? toForm(remembered) : {}), ack: 'replicated' }),
      replica: createReplica(copy),
      temporaryDirectory,
    })
  }
}

/** What the files of a spool are like. */
const toForm = (
  remembered: Destination,
): Omit<Pick<SpoolSettings, keyof Destination & keyof SpoolSettings>, 'outputDirectory'> => {
  const { outputLayout, outputFormat, outputCodec, outputEnvelope } = remembered
  return { outputLayout, outputFormat, outputCodec, outputEnvelope }
}
