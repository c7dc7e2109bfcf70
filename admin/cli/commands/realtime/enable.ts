import { beanNames } from '../../lib/collector-beans.ts'
import { type RealtimeStatus, readRealtimeStatus } from '../../lib/realtime.ts'
import { RpcCommand } from '../../lib/server-command.ts'

export class RealtimeEnable extends RpcCommand {
  static override readonly summary = 'Forward events to the broker again.'
  static override readonly examples = ['sluice realtime enable']

  async run(): Promise<RealtimeStatus> {
    const { flags } = await this.parse(RealtimeEnable)
    const rpc = await this.rpc(flags)
    const names = await beanNames(rpc)
    await rpc.exec(names.realtime, 'enable')
    this.log('Forwarding is on.')
    return readRealtimeStatus(rpc, names)
  }
}
