import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { BaseCommand } from '../lib/base-command.ts'
import { type ShownSetting, selectSettings } from '../lib/settings.ts'
import { readSettings } from '../lib/spool-command.ts'
import { style } from '../lib/style.ts'

export class ConfigCommand extends BaseCommand {
  static override readonly summary = 'Show the settings that a server would have here, and where each comes from.'
  static override readonly description =
    'Secrets are hidden. Needs no server. Every mistake is told at once, with exit code 2.'
  static override readonly examples = [
    'sluice config',
    'sluice config collector.diskspool',
    'sluice config --changed --config /etc/sluice.yaml',
    'sluice config server.port --json',
  ]
  static override readonly args = {
    key: Args.string({ description: 'a setting, or the first part of several' }),
  }
  static override readonly flags = {
    changed: Flags.boolean({ summary: 'only those that are not the default', default: false }),
    config: Flags.string({ summary: 'settings file', helpValue: 'FILE' }),
    set: Flags.string({ summary: 'one setting', helpValue: 'KEY=VALUE', multiple: true }),
  }

  async run(): Promise<{ readonly settings: readonly ShownSetting[]; readonly warnings: readonly string[] }> {
    const { args, flags } = await this.parse(ConfigCommand)
    const config = await readSettings(flags)
    const settings = await selectSettings(config, { key: args.key, changed: flags.changed })
    this.table(settings, [
      { title: 'KEY', cell: row => row.key },
      {
        title: 'VALUE',
        cell: row => row.value ?? '–',
        flexible: true,
        paint: (text, row) => (row.source === 'default' ? text : style('bold', text)),
      },
      { title: 'FROM', cell: row => row.source, paint: text => style('dim', text) },
    ])
    for (const warning of config.warnings) this.warn(warning)
    return { settings, warnings: config.warnings }
  }
}
