import type { Config } from '../../../src/config/config.ts'
import { nearest } from '../../../src/config/nearest.ts'
import { usageError } from './failure.ts'

export type ShownSetting = {
  readonly key: string
  /** As text, secrets hidden; null when there is none. */
  readonly value: string | null
  readonly source: string
  readonly description: string
}

/** The settings whose key is, or begins with, what was asked for. @throws CliError `usage` when there are none */
export const selectSettings = async (
  { settings, sources }: Config,
  { key, changed }: { readonly key: string | undefined; readonly changed: boolean },
): Promise<ShownSetting[]> => {
  const [{ settingKeys, settingOf }, { toPrintable }] = await Promise.all([
    import('../../../src/config/table.ts'),
    import('../../../src/config/print.ts'),
  ])
  const wanted = settingKeys.filter(one => key === undefined || one === key || one.startsWith(`${key}.`))
  if (wanted.length === 0 && key !== undefined) {
    const near = nearest(key, settingKeys)
    throw usageError(
      `There is no setting ${key}`,
      near === undefined ? 'All settings: `sluice config`.' : `Did you mean ${near}?`,
    )
  }
  return wanted
    .filter(one => !changed || sources[one] !== 'default')
    .map(one => ({
      key: one,
      value: toPrintable(settings, one) || null,
      source: sources[one],
      description: settingOf(one).sentence,
    }))
}
