import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clustersOf } from '../../../src/config/clusters.ts'
import type { Settings } from '../../../src/config/table.ts'
import type { Logger } from '../../../src/log/log.ts'
import type { AdoptByHandOptions } from '../../../src/spool/manual/adopt-by-hand.ts'
import { withLogs } from '../../../src/spool/replica/log-directory.ts'
import type { AdoptedLog, AdoptLogWatch } from '../../../src/spool/takeover/adopt-log.ts'
import { toSpoolSettings } from '../../../src/spool/to-spool-settings.ts'
import { CliError } from '../command/failure.ts'
import { findLog } from './find-log.ts'
import { withNameSpace } from './name-space.ts'

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
    const { outputDirectory, outputUrl, owner } = findLog(url, fileSystem)
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
      return {
        ...adopted,
        collectorId: owner.id,
        place: outputUrl,
        directory: isLeft ? join(directory, owner.id) : null,
      }
    } catch (error) {
      if (!(error instanceof LogNotTaken)) throw error
      const hint =
        error.code === 'alive'
          ? 'Stop the collector first. If it cannot be stopped, take its log with --force, which fences it.'
          : ''
      throw new CliError(error.message, { code: error.code, hint, cause: error })
    } finally {
      // The file system has all of it until it is sent.
      if (!isLeft) await rm(directory, { recursive: true, force: true })
    }
  })
