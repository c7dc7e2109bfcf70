import { beanNames } from '../../lib/collector-beans.ts'
import { type FlushStatus, readFlushStatus } from '../../lib/flush.ts'
import { RpcCommand } from '../../lib/server-command.ts'
import { marks } from '../../lib/style.ts'
import { toCount } from '../../lib/units.ts'

export class FlushStatusCommand extends RpcCommand {
  static override readonly summary = 'Whether files are taken to the file system, and how many wait.'
  static override readonly examples = ['sluice flush status', 'sluice flush status --json']

  async run(): Promise<FlushStatus> {
    const { flags } = await this.parse(FlushStatusCommand)
    const rpc = await this.rpc(flags)
    const status = await readFlushStatus(rpc, await beanNames(rpc))
    const count = (value: number | undefined): string => (value === undefined ? '–' : toCount(value))
    this.log(status.enabled === false ? `${marks.warn()} Flushing is off` : `${marks.ok()} Flushing is on`)
    this.log(`  files waiting   ${count(status.waitingFiles)}`)
    this.log(`  files flushed   ${count(status.flushedFiles)}`)
    this.log(`  events written  ${count(status.writtenEvents)}`)
    return status
  }
}
