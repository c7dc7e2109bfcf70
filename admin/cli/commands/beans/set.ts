import * as Args from '@oclif/core/args'
import { describeBean, resolveBean, toBeanValue, toValueText } from '../../lib/beans.ts'
import { CliError } from '../../lib/failure.ts'
import { RpcCommand } from '../../lib/server-command.ts'

export class BeansSet extends RpcCommand {
  static override readonly summary = 'Write an attribute of a bean.'
  static override readonly examples = [
    'sluice beans set HDFSWriter CutoffTime 7200000',
    'sluice beans set HTTPEventHandler CollectionEnabled false',
  ]
  static override readonly args = {
    bean: Args.string({ required: true, description: 'its name in full, or its `name=` alone' }),
    attribute: Args.string({ required: true, description: 'the attribute' }),
    value: Args.string({ required: true, description: 'the new value' }),
  }

  async run(): Promise<{
    readonly mbean: string
    readonly attribute: string
    readonly before: unknown
    readonly value: unknown
  }> {
    const { args, flags } = await this.parse(BeansSet)
    const rpc = await this.rpc(flags)
    const mbean = await resolveBean(rpc, args.bean)
    const info = (await describeBean(rpc, mbean)).attributes[args.attribute]
    if (!info) throw new CliError(`${mbean} has no attribute ${args.attribute}`, { code: 'attribute-not-found' })
    const value = toBeanValue(args.value, info.type)
    const before = await rpc.write(mbean, args.attribute, value)
    this.log(`${args.attribute}: ${toValueText(before)} → ${toValueText(value)}`)
    return { mbean, attribute: args.attribute, before: before ?? null, value }
  }
}
