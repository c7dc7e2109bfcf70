import { beanNames } from '../../lib/collector-beans.ts'
import { type RealtimeStatus, readRealtimeStatus } from '../../lib/realtime.ts'
import { RpcCommand } from '../../lib/server-command.ts'

export class RealtimeDisable extends RpcCommand {
  static override readonly summary = 'Stop forwarding events to the broker; what is stored is not touched.'
  static override readonly examples = ['sluice realtime disable']

  async run(): Promise<RealtimeStatus> {
    const { flags } = await this.parse(RealtimeDisable)
    const rpc = await this.rpc(flags)
    const names = await beanNames(rpc)
    await rpc.exec(names.realtime, 'disable')
    this.log('Forwarding is off.')
    return readRealtimeStatus(rpc, names)
  }
}
