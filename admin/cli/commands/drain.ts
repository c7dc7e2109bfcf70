import * as Flags from '@oclif/core/flags'
import type { RpcClient } from '../../client/rpc-client.ts'
import { rpcCommand } from '../command/command.ts'
import { CliError } from '../command/failure.ts'
import { marks } from '../print/style.ts'
import { type BeanNames, beanNames, flagOf, readBeans } from '../server/collector-beans.ts'
import { type DrainReport, showDrain, tellDrained } from '../server/drain.ts'

export const commands = {
  drain: rpcCommand({
    summary: 'Take a collector out of service for good: no more events, and everything to the file system.',
    description:
      'Events are refused from now on (503, and TRY_LATER to Scribe), through restarts too; the events on the disk are delivered to the file system, also while flushing is disabled; quarantined files are retried once. Exit code 0 when the spool is empty and may be deleted, 1 when something is left, which is named. Waits for a broker as long as it accepts messages. An interrupted drain continues on the server; call it again to wait for it.',
    examples: ['sluice drain', 'sluice drain --timeout 25 --json', 'sluice drain --undo'],
    flags: {
      timeout: Flags.integer({
        summary: 'seconds to wait for the end',
        helpValue: 'SECONDS',
        default: 300,
        min: 0,
        max: 86_400,
      }),
      undo: Flags.boolean<boolean>({ summary: 'take events again', default: false, exclusive: ['timeout'] }),
    },
    run: async ({ flags, connect, ...output }) => {
      const rpc = await connect()
      const names = await beanNames(rpc)
      await checkCollector(rpc, names)
      if (flags.undo) {
        const report = await rpc.exec(names.hdfs, 'undoDrain')
        output.log(`${marks.ok()} Events are taken again.`)
        return report
      }
      await rpc.exec(names.hdfs, 'drain')
      const report = await showDrain(
        'Draining',
        {
          // Its shape is that of the server's operation, which is of the same release or has more.
          read: async () => (await rpc.exec(names.hdfs, 'drainStatus')) as DrainReport,
          timeoutMs: flags.timeout * 1_000,
        },
        output,
      )
      tellDrained(report, { verb: 'Drained', waits: 'the server continues; `sluice drain` waits for it' }, output)
      return report
    },
  }),
}

const checkCollector = async (rpc: RpcClient, names: BeanNames): Promise<void> => {
  const [hdfs = {}] = await readBeans(rpc, [names.hdfs])
  if (flagOf(hdfs, 'Drained') !== undefined) return
  if (Object.keys(hdfs).length > 0)
    throw new CliError('The server is too old for this command: its version cannot be drained', { code: 'unsupported' })
  throw new CliError('The server runs no collector, so it cannot be drained', { code: 'no-collector' })
}
