import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clustersOf } from '../../../src/config/clusters.ts'
import type { Settings } from '../../../src/config/table.ts'
import type { MountTable } from '../../../src/filesystem/mounts.ts'
import { baseName, parentPath } from '../../../src/filesystem/path.ts'
import type { Logger } from '../../../src/log/log.ts'
import type { AdoptByHandOptions } from '../../../src/spool/manual/adopt-by-hand.ts'
import { toLogDirectory, withLogs } from '../../../src/spool/replica/log-directory.ts'
import type { AdoptedLog, AdoptLogWatch } from '../../../src/spool/takeover/adopt-log.ts'
import { type Owner, parseOwner } from '../../../src/spool/takeover/owners.ts'
import { toSpoolSettings } from '../../../src/spool/to-spool-settings.ts'
import { CliError, usageError } from '../command/failure.ts'
import { withNameSpace } from './name-space.ts'

/** A log in HDFS, by its URL. */
type LogPlace = { readonly outputDirectory: string; readonly owner: Owner }

/** The outcome for a log that is taken over by hand. */
export type RemoteReport = AdoptedLog & {
  readonly collectorId: string
  /** Where events went; for people. */
  readonly place: string
  /** On this machine, where something is left that a person decides about. */
  readonly directory: string | null
}

export type AdoptRemoteOptions = Pick<
  AdoptByHandOptions,
  'isForced' | 'signal' | 'onSilent' | 'confirm' | 'fieldsOf'
> & { readonly settings: Settings; readonly log: Logger }

export const isRemoteLog = (text: string): boolean => /^[a-z][\d+.a-z-]*:\/\//.test(text)

/** Takes over a log in the file system of the settings, as a collector does. @throws CliError */
export const adoptRemote = async (
  url: string,
  { settings, ...options }: AdoptRemoteOptions,
  watch: AdoptLogWatch,
): Promise<RemoteReport> =>
  await withNameSpace(clustersOf(settings), async opened => {
    const fileSystem = withLogs(opened, () => settings['collector.replicated.gather-ms'])
    const { outputDirectory, owner } = findLog(url, fileSystem)
    const { adoptByHand, LogNotTaken } = await import('../../../src/spool/manual/adopt-by-hand.ts')
    const directory = await mkdtemp(join(tmpdir(), 'sluice-adopt-'))
    let isLeft = false
    try {
      const ofSpool = { ...toSpoolSettings(settings), outputDirectory }
      const by = {
        ...options,
        fileSystem,
        urlOf: fileSystem.urlOf,
        settings: () => ofSpool,
        outputDirectory,
        directory,
      }
      const adopted = await adoptByHand(by, owner, watch)
      isLeft = adopted.left > 0 || adopted.lost.length > 0
      const place = `${fileSystem.urlOf(outputDirectory).replace(/\/$/, '')}${outputDirectory}`
      return { ...adopted, collectorId: owner.id, place, directory: isLeft ? join(directory, owner.id) : null }
    } catch (error) {
      if (!(error instanceof LogNotTaken)) throw error
      const hint =
        error.code === 'alive'
          ? 'Stop the collector first. If it cannot be stopped, take its log with --force, which fences it.'
          : ''
      throw new CliError(error.message, { code: error.code, hint, cause: error })
    } finally {
      // HDFS has all of it until it is sent.
      if (!isLeft) await rm(directory, { recursive: true, force: true })
    }
  })

/** @throws CliError `usage`, `destination` */
const findLog = (text: string, { urlOf, mountPoints }: Pick<MountTable, 'urlOf' | 'mountPoints'>): LogPlace => {
  const url = URL.parse(text)
  const mount = url && mountPoints.find(point => URL.parse(urlOf(point))?.host === url.host)
  if (!url || mount === undefined)
    throw new CliError(
      `No cluster in the settings has the address ${url?.host || text}. Nothing was taken. Set namenode.url or clusters (--config, --set)`,
      { code: 'destination' },
    )
  const path = `${mount === '/' ? '' : mount}${decodeURIComponent(url.pathname)}`
  const outputDirectory = parentPath(parentPath(path))
  const owner = parseOwner(baseName(path))
  if (!owner || parentPath(path) !== toLogDirectory(outputDirectory))
    throw usageError(`${text} is not the log of a collector: hdfs://HOST/DIRECTORY/_log/ID`)
  return { outputDirectory, owner }
}
