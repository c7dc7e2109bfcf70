import * as Args from '@oclif/core/args'
import type { Attributes } from '../../../client/types.ts'
import { resolveBean, toValueText } from '../../lib/beans.ts'
import { RpcCommand } from '../../lib/server-command.ts'

export class BeansGet extends RpcCommand {
  static override readonly strict = false
  static override readonly summary = 'Read attributes of a bean: all, or those named.'
  static override readonly examples = [
    'sluice beans get HDFSWriter',
    'sluice beans get WriterQueueStats WrittenEvents HdfsFlushes',
    'sluice beans get sluice.metrics.collector:name=HDFSWriter FlushEnabled --json',
  ]
  static override readonly args = {
    bean: Args.string({ required: true, description: 'its name in full, or its `name=` alone' }),
    attribute: Args.string({ description: 'attributes; all without' }),
  }

  async run(): Promise<{ readonly mbean: string; readonly attributes: Attributes; readonly timestamp: number }> {
    const { args, argv, flags } = await this.parse(BeansGet)
    const rpc = await this.rpc(flags)
    const mbean = await resolveBean(rpc, args.bean)
    const names = argv.slice(1).map(String)
    const { value, timestamp } = await (names.length > 0 ? rpc.read(mbean, names) : rpc.read(mbean))
    const rows = Object.entries(value)
    // One value alone is for scripts.
    if (names.length === 1) for (const [, one] of rows) this.log(toValueText(one))
    else
      this.table(rows, [
        { title: 'ATTRIBUTE', cell: ([name]) => name },
        { title: 'VALUE', cell: ([, one]) => toValueText(one), flexible: true },
      ])
    return { mbean, attributes: value, timestamp }
  }
}
