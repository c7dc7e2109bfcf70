import * as Args from '@oclif/core/args'
import { RpcCommand } from '../../lib/server-command.ts'

export class BeansSearch extends RpcCommand {
  static override readonly summary = 'Names of the beans that match a pattern.'
  static override readonly description =
    'Patterns are those of JMX: `*` and `?` in the domain and in values, `,*` for more properties.'
  static override readonly examples = [
    "sluice beans search '*:type=BodyResource,*'",
    "sluice beans search 'sluice.metrics.collector:*' --json",
  ]
  static override readonly args = { pattern: Args.string({ required: true, description: 'the pattern' }) }

  async run(): Promise<{ readonly mbeans: readonly string[] }> {
    const { args, flags } = await this.parse(BeansSearch)
    const mbeans = await (await this.rpc(flags)).search(args.pattern)
    for (const mbean of mbeans) this.log(mbean)
    return { mbeans }
  }
}
