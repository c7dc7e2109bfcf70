import * as Flags from '@oclif/core/flags'
import { beanNames } from '../../lib/collector-beans.ts'
import { CliError } from '../../lib/failure.ts'
import { type FlushReport, flushNow } from '../../lib/flush.ts'
import { createProgress } from '../../lib/progress.ts'
import { RpcCommand } from '../../lib/server-command.ts'
import { marks } from '../../lib/style.ts'
import { plural, toBytes, toCount } from '../../lib/units.ts'

export class FlushNow extends RpcCommand {
  static override readonly summary = 'Take everything to the file system now, quarantined files included.'
  static override readonly description = 'Works also while flushing is disabled. Exit code 1 when a file was refused.'
  static override readonly examples = ['sluice flush now', 'sluice flush now --json']
  static override readonly flags = {
    timeout: Flags.integer({ summary: 'seconds to wait for the end', default: 3_600, min: 1, max: 86_400 }),
  }

  async run(): Promise<FlushReport> {
    const { flags } = await this.parse(FlushNow)
    const rpc = await this.rpc(flags, flags.timeout * 1_000)
    const progress = createProgress({ label: 'Flushing', format: toCount })
    const report = await flushNow(rpc, await beanNames(rpc), (done, total) =>
      progress.update(done, total, 'files'),
    ).finally(() => progress.end())
    const { files, bytes, failures } = report
    if (failures > 0) {
      throw new CliError(
        `${plural(failures, 'file')} could not be flushed; ${plural(files, 'file')} of ${toBytes(bytes)} could`,
        {
          code: 'flush-failed',
          hint: 'See the log of the server, and `sluice spool quarantine list`.',
        },
      )
    }
    this.log(
      files === 0
        ? `${marks.ok()} Nothing was waiting`
        : `${marks.ok()} Flushed ${plural(files, 'file')}, ${toBytes(bytes)}`,
    )
    return report
  }
}
