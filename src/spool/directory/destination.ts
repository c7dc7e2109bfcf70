/**
 * `destination`: where the events of a spool go. After the header (see `format-header.ts`) it holds one frame of type
 * 1, whose payload is a {@link Destination} as JSON. It is replaced whole whenever a server with other settings opens
 * the spool, so that an adopter knows where the collector delivered its events.
 */
import { codecNames } from '../../codecs/codecs.ts'
import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import { outputLayouts } from '../bucket.ts'
import { outputFormats } from '../files/bucket-file.ts'
import { checks, UnknownWord } from '../framing/check.ts'
import { encodeHeader, formats, readFormat, UnknownFormat } from '../framing/format-header.ts'
import { toFrame } from '../framing/framing.ts'
import type { SpoolSettings } from '../spool-settings.ts'

/** Where the events of a spool go, and in which form. */
export type Destination = Pick<
  SpoolSettings,
  'outputDirectory' | 'outputLayout' | 'outputFormat' | 'outputCodec' | 'outputEnvelope'
> & {
  /** URL of the file system that has the output directory; that of a local one has an absolute path. */
  readonly fileSystem: string
  /** Whether it is one of `mounts`, so that its paths are below a mount point. */
  readonly isMounted: boolean
}

export const destinationPath = 'destination'
const nextPath = 'destination.next'

const { text, flag, object, oneOf } = checks

const isDestination = object<Destination>({
  fileSystem: text,
  isMounted: flag,
  outputDirectory: text,
  outputLayout: oneOf(outputLayouts),
  outputFormat: oneOf(outputFormats),
  outputCodec: oneOf(codecNames),
  outputEnvelope: flag,
})

/** In the order in which they are written. */
export const toDestination = (
  { outputDirectory, outputLayout, outputFormat, outputCodec, outputEnvelope }: SpoolSettings,
  fileSystem: string,
  isMounted: boolean,
): Destination => ({
  fileSystem,
  isMounted,
  outputDirectory,
  outputLayout,
  outputFormat,
  outputCodec,
  outputEnvelope,
})

/**
 * What a spool remembers; undefined where that is nothing, as of earlier versions, or cannot be read.
 * @throws UnknownFormat when a later version wrote it
 */
export const readDestination = async (disk: Pick<Disk, 'read'>): Promise<Destination | undefined> => {
  return parseDestinationFile(await disk.read(destinationPath).catch(() => new Uint8Array()))
}

/** What its file says. @throws UnknownFormat when a later version wrote it */
export const parseDestinationFile = (bytes: Uint8Array): Destination | undefined => {
  const [frame] = readFormat(bytes, destinationPath, 'destination')
  return frame && parseDestination(frame.payload)
}

const parseDestination = (payload: Uint8Array): Destination | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(payload))
    return isDestination(value) ? value : undefined
  } catch (error) {
    if (error instanceof UnknownWord)
      throw new UnknownFormat(destinationPath, 'destination', formats.destination.reads, error.message)
    return undefined
  }
}

/** Writes it in place of what was remembered before, safe on the disk. */
export const writeDestination = async (disk: Disk, destination: Destination): Promise<void> => {
  const payload = new TextEncoder().encode(JSON.stringify(destination))
  await disk.unlink(nextPath)
  await writeSynced(
    disk,
    nextPath,
    Buffer.concat([encodeHeader('destination'), toFrame(formats.destination.frames.destination, payload)]),
  )
  await disk.rename(nextPath, destinationPath)
  await disk.fsyncDir('.')
}

/** Keeps what is remembered as the settings say; each call looks whether they have changed. */
export const createDestinationKeeper = (
  disk: Disk,
  current: () => Destination,
): (() => Promise<Destination | undefined>) => {
  let known: string | undefined
  /** @returns what was remembered before, where that was another place */
  return async () => {
    const now = current()
    const text = JSON.stringify(now)
    if (text === known) return undefined
    const before = await readDestination(disk)
    if (JSON.stringify(before) !== text) await writeDestination(disk, now)
    known = text
    return before && toPlace(before) !== toPlace(now) ? before : undefined
  }
}

/** For people: the file system, and the directory in it. */
export const toPlace = ({ fileSystem, outputDirectory }: Pick<Destination, 'fileSystem' | 'outputDirectory'>): string =>
  `${fileSystem.replace(/\/$/, '')}${outputDirectory}`
