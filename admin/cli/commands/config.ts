import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { Config } from '../../../src/config/config.ts'
import { nearest } from '../../../src/text/nearest.ts'
import { localCommand } from '../command/command.ts'
import { usageError } from '../command/failure.ts'
import { readSettings } from '../command/settings.ts'
import { style } from '../print/style.ts'

export const commands = {
  config: localCommand({
    listsRows: true,
    summary: 'Show the settings that a server would have here, and where each comes from.',
    description: 'Secrets are hidden. Needs no server. Reports all mistakes together, with exit code 2.',
    examples: [
      'sluice config',
      'sluice config collector.diskspool',
      'sluice config --changed --config /etc/sluice.yaml',
      'sluice config server.port --json',
    ],
    args: { key: Args.string({ description: 'a setting, or the first part of several' }) },
    flags: {
      changed: Flags.boolean<boolean>({ summary: 'only those that are not the default', default: false }),
      config: Flags.string({ summary: 'settings file', helpValue: 'FILE' }),
      set: Flags.string({ summary: 'one setting', helpValue: 'KEY=VALUE', multiple: true }),
    },
    run: async ({ args, flags, table, warn }) => {
      const config = await readSettings(flags)
      const settings = await selectSettings(config, args.key, flags.changed)
      table(settings, [
        { title: 'KEY', cell: row => row.key },
        {
          title: 'VALUE',
          cell: row => row.value ?? '–',
          flexible: true,
          paint: (text, row) => (row.source === 'default' ? text : style('bold', text)),
        },
        { title: 'FROM', field: 'source', cell: row => row.source, paint: text => style('dim', text) },
      ])
      for (const warning of config.warnings) warn(warning)
      return { settings, warnings: config.warnings }
    },
  }),
}

/**
 * The settings whose key equals, or begins with, the given one. @throws CliError `usage` if there are no such settings
 */
const selectSettings = async ({ settings, sources }: Config, key: string | undefined, changed: boolean) => {
  const [{ isSettingKey, knownKeys, settingKeys, settingOf }, { toPrintable }] = await Promise.all([
    import('../../../src/config/table.ts'),
    import('../../../src/config/print.ts'),
  ])
  const wanted = knownKeys
    .filter(one => settingOf(one).retired === undefined || sources[one] !== 'default')
    .filter(one => key === undefined || one === key || one.startsWith(`${key}.`))
  if (key !== undefined && isSettingKey(key) && wanted.length === 0) {
    throw usageError(`The setting ${key} is retired`, settingOf(key).sentence)
  }
  if (wanted.length === 0 && key !== undefined) {
    const near = nearest(key, settingKeys)
    const hint = near === undefined ? 'All settings: `sluice config`.' : `Did you mean ${near}?`
    throw usageError(`There is no setting ${key}`, hint)
  }
  return wanted
    .filter(one => !changed || sources[one] !== 'default')
    .map(one => ({
      key: one,
      // Secrets are hidden; null without a value.
      value: toPrintable(settings, one) || null,
      source: sources[one],
      description: settingOf(one).sentence,
    }))
}
