import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { CliError } from '../../lib/failure.ts'
import { createOutput } from '../../lib/output.ts'
import { openDisk, SpoolCommand } from '../../lib/spool-command.ts'
import { plural } from '../../lib/units.ts'

export class SpoolDump extends SpoolCommand {
  static override readonly strict = false
  static override readonly enableJsonFlag = false
  static override readonly summary = 'Print the events of a spool as JSON lines.'
  static override readonly description =
    'The lines can be posted again. Everything that waits is printed, or what is named: bucket files, quarantined pieces, 0000000001.log. Changes nothing. What cannot be read is told on standard error, with exit code 1.'
  static override readonly examples = [
    'sluice spool dump | head -3',
    'sluice spool dump --source | jq \'select(.eventName == "PageView")\'',
    'sluice spool dump segment-7-0.damaged',
  ]
  static override readonly args = { file: Args.string({ description: 'only these' }) }
  static override readonly flags = {
    source: Flags.boolean({ summary: 'tell with each event where it stands', default: false }),
    committed: Flags.boolean({ summary: 'local copies of committed files too', default: false }),
    limit: Flags.integer({ char: 'n', summary: 'at most so many events', min: 1 }),
    json: Flags.boolean({ summary: 'as always', default: false, hidden: true }),
  }

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SpoolDump)
    const { disk } = await openDisk(await this.directory(flags))
    const { dumpSpool } = await import('../../../../src/spool/tool/dump.ts')
    const output = createOutput(process.stdout)
    let events = 0
    let problems = 0
    const onProblem = (source: string, problem: string): void => {
      problems++
      this.logToStderr(`${source}: ${problem}`)
    }
    const only = argv.map(String).map(name => name.replace(/^(?:log|sealed|_quarantine|_taken)\//, ''))
    for await (const { source, line } of dumpSpool(disk, {
      ...(only.length > 0 ? { only } : {}),
      committed: flags.committed,
      onProblem,
    })) {
      await output.write(`${flags.source ? `{"source":${JSON.stringify(source)},${line.slice(1)}` : line}\n`)
      if (++events === flags.limit) break
    }
    await output.end()
    if (problems > 0)
      throw new CliError(`${plural(problems, 'part')} could not be read; ${plural(events, 'event')} could`, {
        code: 'damaged',
      })
  }
}
