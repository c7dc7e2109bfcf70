import type { StraysOptions } from '../../../src/spool/tool/strays.ts'
import { openDisk, readSettings, type SettingsFlags } from './spool-command.ts'

/** Opens the file system of the settings, as a server would, for as long as the work takes. */
export const withStrays = async <T>(
  directory: string,
  flags: SettingsFlags,
  work: (options: StraysOptions) => Promise<T>,
): Promise<T> => {
  const [{ createNameSpace }, { readId }] = await Promise.all([
    import('../../../src/filesystem/name-space.ts'),
    import('../../../src/spool/tool/view.ts'),
  ])
  const { settings } = await readSettings(flags)
  const { disk } = await openDisk(directory)
  const fileSystem = await createNameSpace(settings)
  try {
    const outputDirectory = settings['collector.event-output-directory']
    return await work({ fileSystem, outputDirectory, ownId: await readId(disk) })
  } finally {
    await fileSystem.close()
  }
}
