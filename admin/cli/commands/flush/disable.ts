import { beanNames } from '../../lib/collector-beans.ts'
import { type FlushStatus, readFlushStatus } from '../../lib/flush.ts'
import { RpcCommand } from '../../lib/server-command.ts'

export class FlushDisable extends RpcCommand {
  static override readonly summary =
    'Keep files on the local disk; events are accepted as before. Lasts through a restart.'
  static override readonly examples = ['sluice flush disable']

  async run(): Promise<FlushStatus> {
    const { flags } = await this.parse(FlushDisable)
    const rpc = await this.rpc(flags)
    const names = await beanNames(rpc)
    await rpc.exec(names.hdfs, 'disableFlush')
    this.log('Flushing is off. Events are kept on the local disk; `sluice flush enable` resumes.')
    return readFlushStatus(rpc, names)
  }
}
