import * as Args from '@oclif/core/args'
import { describeBean, resolveBean, toBeanValue, toValueText } from '../../lib/beans.ts'
import { CliError, usageError } from '../../lib/failure.ts'
import { RpcCommand } from '../../lib/server-command.ts'
import { plural } from '../../lib/units.ts'

/** Operations may move many files. */
const timeoutMs = 3_600_000

export class BeansCall extends RpcCommand {
  static override readonly strict = false
  static override readonly summary = 'Run an operation of a bean.'
  static override readonly examples = [
    'sluice beans call HDFSWriter disableFlush',
    'sluice beans call RTSubsystem addTypeToCollect PageView',
  ]
  static override readonly args = {
    bean: Args.string({ required: true, description: 'its name in full, or its `name=` alone' }),
    operation: Args.string({ required: true, description: 'the operation' }),
    argument: Args.string({ description: 'its arguments, in order' }),
  }

  async run(): Promise<{ readonly mbean: string; readonly operation: string; readonly value: unknown }> {
    const { args, argv, flags } = await this.parse(BeansCall)
    const rpc = await this.rpc(flags, timeoutMs)
    const mbean = await resolveBean(rpc, args.bean)
    const info = (await describeBean(rpc, mbean)).operations[args.operation]
    if (!info) throw new CliError(`${mbean} has no operation ${args.operation}`, { code: 'operation-not-found' })
    const words = argv.slice(2).map(String)
    if (words.length !== info.arguments.length) {
      const expected = info.arguments.map(({ name, type }) => `${name}: ${type}`).join(', ')
      throw usageError(
        `${args.operation}(${expected}) takes ${plural(info.arguments.length, 'argument')}, not ${words.length}`,
      )
    }
    const value = await rpc.exec(
      mbean,
      args.operation,
      words.map((word, i) => toBeanValue(word, info.arguments[i]?.type ?? 'string')),
    )
    this.log(info.returns === 'void' ? 'Done.' : toValueText(value))
    return { mbean, operation: args.operation, value: value ?? null }
  }
}
