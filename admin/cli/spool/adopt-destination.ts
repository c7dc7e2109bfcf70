import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { clustersOf, isEmbedded } from '../../../src/config/clusters.ts'
import type { Settings } from '../../../src/config/table.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import type { MountTable } from '../../../src/filesystem/mounts.ts'
import { type Destination, toPlace } from '../../../src/spool/directory/destination.ts'
import { CliError } from '../command/failure.ts'
import { withNameSpace } from './name-space.ts'

/** Who says where the events of an adopted spool go: what it remembers itself, or the settings of the command. */
export type Into = 'remembered' | 'settings'

/** An open file system, and the settings of the output in it. */
export type AdoptInto = Pick<MountTable, 'urlOf' | 'mountPoints'> & {
  readonly fileSystem: FileSystem
  /** What the spool remembers of its output; nothing where the settings decide. */
  readonly output: Partial<Omit<Destination, 'fileSystem' | 'isMounted'>>
  /** For people. */
  readonly place: string
}

/**
 * Opens the file system that a spool's events go to, for as long as the work takes: the one that its collector had.
 * @param remembered undefined where the spool remembers nothing: earlier versions did not
 * @throws CliError `destination` naming both places, where the settings lead to another one than the spool remembers
 */
export const withAdoptInto = async <T>(
  settings: Settings,
  remembered: Destination | undefined,
  into: Into,
  work: (into: AdoptInto) => Promise<T>,
): Promise<T> => {
  const outputDirectory = settings['collector.event-output-directory']
  if (into === 'settings')
    return await withNameSpace(clustersOf(settings), fileSystem => {
      const place = toPlace({ fileSystem: fileSystem.urlOf(outputDirectory), outputDirectory })
      return work({ ...toTable(fileSystem), output: {}, place })
    })
  if (!remembered) throw refusal('does not remember where its events go', localPlace(settings, outputDirectory))
  const { fileSystem: _url, isMounted: _isMounted, ...output } = remembered
  const target = { output, place: toPlace(remembered) }
  const root = localRoot(remembered)
  if (root !== undefined && existsSync(root)) {
    const { createLocalFileSystem } = await import('../../../src/filesystem/local.ts')
    const fileSystem = await createLocalFileSystem({ root })
    try {
      return await work({ fileSystem, urlOf: () => fileSystem.url, mountPoints: ['/'], ...target })
    } finally {
      await fileSystem.close()
    }
  }
  const what = `belongs to ${toPlace(remembered)}`
  // Not opened, since that would make its directory.
  if (!namesFileSystem(settings)) throw refusal(what, localPlace(settings, outputDirectory))
  return await withNameSpace(clustersOf(settings), async fileSystem => {
    const url = fileSystem.urlOf(remembered.outputDirectory)
    if (url !== remembered.fileSystem) throw refusal(what, toPlace({ fileSystem: url, outputDirectory }))
    return await work({ ...toTable(fileSystem), ...target })
  })
}

const toTable = (fileSystem: MountTable): Pick<AdoptInto, 'fileSystem' | 'urlOf' | 'mountPoints'> => {
  const { urlOf, mountPoints } = fileSystem
  return { fileSystem, urlOf, mountPoints }
}

const refusal = (what: string, offered: string): CliError =>
  new CliError(
    `The spool ${what}, and the settings name ${offered}. Nothing was sent. Give the settings of its collector (--config), or --into settings to send its events to ${offered}`,
    { code: 'destination' },
  )

/** The directory of an embedded file system. */
const localRoot = ({ fileSystem, isMounted }: Destination): string | undefined =>
  fileSystem.startsWith('file:') && !isMounted ? fileURLToPath(fileSystem) : undefined

const namesFileSystem = (settings: Settings): boolean => {
  const [root, ...others] = clustersOf(settings)
  return !isEmbedded(root) || others.length > 0
}

const localPlace = (settings: Settings, outputDirectory: string): string =>
  toPlace({ fileSystem: clustersOf(settings)[0].url, outputDirectory })
