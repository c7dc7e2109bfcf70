import { beanNames } from '../../lib/collector-beans.ts'
import { type RealtimeStatus, readRealtimeStatus } from '../../lib/realtime.ts'
import { RpcCommand } from '../../lib/server-command.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'
import { toCount } from '../../lib/units.ts'

export class RealtimeStatusCommand extends RpcCommand {
  static override readonly summary = 'Whether events are forwarded to the broker, which, and how many.'
  static override readonly examples = ['sluice realtime status', 'sluice realtime status --json']

  async run(): Promise<RealtimeStatus> {
    const { flags } = await this.parse(RealtimeStatusCommand)
    const rpc = await this.rpc(flags)
    const status = await readRealtimeStatus(rpc, await beanNames(rpc))
    const count = (value: number | null): string => (value === null ? '–' : toCount(value))
    const words = {
      true: `${marks.ok()} Forwarding is on`,
      false: `${marks.warn()} Forwarding is off`,
      null: '– There is no broker',
    }
    this.log(words[`${status.enabled}`])
    this.log(`  types    ${toSafeText(status.types.join(', ')) || '–'}`)
    this.log(`  sent     ${count(status.sent)}`)
    this.log(`  dropped  ${count(status.dropped)}`)
    this.log(`  errored  ${count(status.errored)}`)
    return status
  }
}
