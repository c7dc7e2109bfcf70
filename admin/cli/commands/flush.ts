import * as Flags from '@oclif/core/flags'
import { beanNames } from '../lib/collector-beans.ts'
import { rpcCommand } from '../lib/command.ts'
import { CliError } from '../lib/failure.ts'
import { flushNow, readFlushStatus } from '../lib/flush.ts'
import { withProgress } from '../lib/progress.ts'
import { marks } from '../lib/style.ts'
import { switchCommand } from '../lib/switch-command.ts'
import { plural, toBytes, toCount, toCountText } from '../lib/units.ts'

export const commands = {
  'flush:disable': switchCommand({
    summary: 'Keep files on the local disk; events are accepted as before. Lasts through a restart.',
    example: 'sluice flush disable',
    bean: 'hdfs',
    operation: 'disableFlush',
    done: 'Flushing is off. Events are kept on the local disk; `sluice flush enable` resumes.',
    readStatus: readFlushStatus,
  }),

  'flush:enable': switchCommand({
    summary: 'Take waiting files to the file system again.',
    example: 'sluice flush enable',
    bean: 'hdfs',
    operation: 'enableFlush',
    done: 'Flushing is on.',
    readStatus: readFlushStatus,
  }),

  'flush:now': rpcCommand({
    summary: 'Take everything to the file system now, quarantined files included.',
    description: 'Works also while flushing is disabled. Exit code 1 when a file was refused.',
    examples: ['sluice flush now', 'sluice flush now --json'],
    flags: {
      timeout: Flags.integer({
        summary: 'seconds to wait for the end',
        helpValue: 'SECONDS',
        default: 3_600,
        min: 1,
        max: 86_400,
      }),
    },
    run: async ({ flags, connect, log }) => {
      const rpc = await connect(flags.timeout * 1_000)
      const names = await beanNames(rpc)
      const report = await withProgress({ label: 'Flushing', format: toCount }, update =>
        flushNow(rpc, names, (done, total) => update(done, total, 'files')),
      )
      const { files, bytes, failures } = report
      if (failures > 0) {
        throw new CliError(
          `${plural(failures, 'file')} could not be flushed; ${plural(files, 'file')} of ${toBytes(bytes)} could`,
          { code: 'flush-failed', hint: 'See the log of the server, and `sluice spool quarantine list`.' },
        )
      }
      log(
        `${marks.ok()} ${files === 0 ? 'Nothing was waiting' : `Flushed ${plural(files, 'file')}, ${toBytes(bytes)}`}`,
      )
      return report
    },
  }),

  'flush:status': rpcCommand({
    summary: 'Whether files are taken to the file system, and how many wait.',
    examples: ['sluice flush status', 'sluice flush status --json'],
    run: async ({ connect, log }) => {
      const rpc = await connect()
      const status = await readFlushStatus(rpc, await beanNames(rpc))
      log(status.enabled === false ? `${marks.warn()} Flushing is off` : `${marks.ok()} Flushing is on`)
      log(`  files waiting   ${toCountText(status.waitingFiles)}`)
      log(`  files flushed   ${toCountText(status.flushedFiles)}`)
      log(`  events written  ${toCountText(status.writtenEvents)}`)
      return status
    },
  }),
}
