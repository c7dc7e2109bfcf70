import * as Flags from '@oclif/core/flags'
import { localCommand } from '../command/command.ts'

export const commands = {
  serve: localCommand({
    hasJson: false,
    summary: 'Run collector, gateway and management in this process.',
    description:
      'Settings come from sluice.yaml or --config, variables named SLUICE_…, and --set; `sluice config` lists them. Ctrl-C and SIGTERM drain: what was accepted is kept.',
    examples: [
      'sluice serve',
      'sluice serve --set server.port=9000 --set data.dir=/var/lib/sluice',
      'sluice serve --config /etc/sluice.yaml',
    ],
    flags: {
      config: Flags.string({ summary: 'settings file [default: sluice.yaml, where there is one]', helpValue: 'FILE' }),
      set: Flags.string({ summary: 'one setting; may be repeated', helpValue: 'KEY=VALUE', multiple: true }),
    },
    /** Help and completion know the command from here; `bin/sluice.js` runs the server itself. */
    run: () => {
      throw new TypeError('The server is started by bin/sluice.js')
    },
  }),
}
