import { beanNames } from '../../lib/collector-beans.ts'
import { type FlushStatus, readFlushStatus } from '../../lib/flush.ts'
import { RpcCommand } from '../../lib/server-command.ts'

export class FlushEnable extends RpcCommand {
  static override readonly summary = 'Take waiting files to the file system again.'
  static override readonly examples = ['sluice flush enable']

  async run(): Promise<FlushStatus> {
    const { flags } = await this.parse(FlushEnable)
    const rpc = await this.rpc(flags)
    const names = await beanNames(rpc)
    await rpc.exec(names.hdfs, 'enableFlush')
    this.log('Flushing is on.')
    return readFlushStatus(rpc, names)
  }
}
