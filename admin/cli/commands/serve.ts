import * as Flags from '@oclif/core/flags'
import { BaseCommand } from '../lib/base-command.ts'

export class Serve extends BaseCommand {
  static override readonly enableJsonFlag = false
  static override readonly summary = 'Run collector, gateway and management in this process.'
  static override readonly description =
    'Settings come from sluice.yaml or --config, variables named SLUICE_…, and --set; `sluice config` lists them. Ctrl-C and SIGTERM drain: what was accepted is kept.'
  static override readonly examples = [
    'sluice serve',
    'sluice serve --set server.port=9000 --set data.dir=/var/lib/sluice',
    'sluice serve --config /etc/sluice.yaml',
  ]
  static override readonly flags = {
    config: Flags.string({ summary: 'settings file [default: sluice.yaml, where there is one]', helpValue: 'FILE' }),
    set: Flags.string({ summary: 'one setting; may be repeated', helpValue: 'KEY=VALUE', multiple: true }),
  }

  /** Help and completion know the command from here; `bin/sluice.js` runs the server itself. */
  run(): Promise<void> {
    throw new TypeError('The server is started by bin/sluice.js')
  }
}
