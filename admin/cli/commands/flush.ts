import * as Flags from '@oclif/core/flags'
import { rpcCommand } from '../command/command.ts'
import { CliError } from '../command/failure.ts'
import { switchCommand } from '../command/switch-command.ts'
import { withProgress } from '../print/progress.ts'
import { marks } from '../print/style.ts'
import { textColumns } from '../print/text-width.ts'
import { plural, toBytes, toCount, toCountOrDash } from '../print/units.ts'
import { beanNames } from '../server/collector-beans.ts'
import { flushNow, readFlushStatus } from '../server/flush.ts'
import { toProblemLines } from '../server/problem-lines.ts'
import { readProblems } from '../server/problems.ts'

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
        const problems = await readProblems(rpc, names).catch(() => [])
        const cause =
          problems.find(({ part }) => part === 'filesystem') ?? problems.find(({ part }) => part === 'spool')
        const what = `${plural(failures, 'file')} could not be flushed; ${plural(files, 'file')} of ${toBytes(bytes)} could`
        throw new CliError(cause ? `${cause.problem}; ${what}` : what, {
          code: 'flush-failed',
          hint: cause
            ? `${cause.meaning} ${cause.advice} \`${cause.command}\``
            : 'See `sluice status`, and `sluice spool quarantine list`.',
        })
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
      const { enabled, problems } = status
      for (const problem of problems) for (const line of toProblemLines(problem, textColumns())) log(line)
      if (problems.length === 0)
        log(enabled === false ? `${marks.warn()} Flushing is off` : `${marks.ok()} Flushing is on`)
      log(`  files waiting   ${toCountOrDash(status.waitingFiles)}`)
      log(`  files flushed   ${toCountOrDash(status.flushedFiles)}`)
      log(`  events written  ${toCountOrDash(status.writtenEvents)}`)
      return status
    },
  }),
}
