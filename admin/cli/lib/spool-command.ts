import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as Flags from '@oclif/core/flags'
import type { Disk } from '../../../src/spool/disk/disk.ts'
import type { OfflineSpool } from '../../../src/spool/tool/offline.ts'
import { BaseCommand } from './base-command.ts'

/** A command that works on the files of a spool, without a server. */
export abstract class SpoolCommand extends BaseCommand {
  static override readonly baseFlags = {
    spool: Flags.string({
      summary: 'directory of the spool [default: that of the settings]',
      helpValue: 'DIR',
      helpGroup: 'SPOOL',
    }),
    config: Flags.string({ summary: 'settings file', helpValue: 'FILE', helpGroup: 'SPOOL' }),
    set: Flags.string({ summary: 'one setting', helpValue: 'KEY=VALUE', multiple: true, helpGroup: 'SPOOL' }),
  }

  /** Where the spool is: as given, or as a server with the same settings would have it. */
  protected async directory(flags: SettingsFlags & { readonly spool?: string | undefined }): Promise<string> {
    if (flags.spool !== undefined) return resolve(flags.spool)
    return (await readSettings(flags)).settings['collector.diskspool.path']
  }
}

/** The disk of a spool, and who runs on it. */
export const openDisk = async (
  directory: string,
): Promise<{ readonly disk: Disk; readonly holder: string | undefined }> => {
  const [{ createNodeDisk }, { spoolHolder }] = await Promise.all([
    import('../../../src/spool/disk/node-disk.ts'),
    import('../../../src/spool/tool/is-held.ts'),
  ])
  return { disk: createNodeDisk({ directory }), holder: spoolHolder(directory) }
}

/** Holds a spool that no server runs on for as long as the work takes. @throws SpoolLocked, NoSpool */
export const withOfflineSpool = async <T>(
  directory: string,
  work: (spool: OfflineSpool) => Promise<T>,
  options: { readonly create?: boolean } = {},
): Promise<T> => {
  const { openOffline } = await import('../../../src/spool/tool/offline.ts')
  const spool = await openOffline(directory, options)
  try {
    return await work(spool)
  } finally {
    await spool.close()
  }
}

export type SettingsFlags = { readonly config?: string | undefined; readonly set?: readonly string[] | undefined }

/** The words that the server takes for the same flags. */
export const toServerWords = ({ config, set = [] }: SettingsFlags): string[] => [
  ...(config === undefined ? [] : ['--config', config]),
  ...set.flatMap(assignment => ['--set', assignment]),
]

/** The settings that a server would have here. @throws SettingsError with every mistake */
export const readSettings = async (flags: SettingsFlags) => {
  const { loadConfig } = await import('../../../src/config/config.ts')
  return loadConfig({
    argv: toServerWords(flags),
    env: process.env,
    cwd: process.cwd(),
    readFile: path => readFileSync(path, 'utf8'),
  })
}
