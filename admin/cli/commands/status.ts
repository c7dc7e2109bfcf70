import { rpcCommand } from '../command/command.ts'
import { outputFlag } from '../print/listing.ts'
import { textColumns } from '../print/text-width.ts'
import { plural } from '../print/units.ts'
import { readServerStatus } from '../server/server-status.ts'
import { toStatusView } from '../server/status-view.ts'

export const commands = {
  status: rpcCommand({
    summary: 'Show the state of the server, waiting events, and problems with their remedies.',
    description:
      'Exit code 1 when something is wrong; 3 when nothing answers. As ndjson or csv a line for each thing that is wrong.',
    examples: ['sluice status', 'sluice status --json', 'watch -c sluice status'],
    flags: { output: outputFlag },
    run: async ({ connect, log, rows, fail }) => {
      const rpc = await connect()
      const status = await readServerStatus(rpc)
      log(toStatusView(status, rpc.url, textColumns()))
      rows(status.problems)
      const { length } = status.problems
      if (length > 0) fail(`${plural(length, 'thing')} ${length === 1 ? 'is' : 'are'} wrong`, 'unhealthy')
      return status
    },
  }),
}
