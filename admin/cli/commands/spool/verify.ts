import { CliError } from '../../lib/failure.ts'
import { createProgress } from '../../lib/progress.ts'
import { type SpoolCheck, toSpoolCheck } from '../../lib/spool-check.ts'
import { openDisk, SpoolCommand } from '../../lib/spool-command.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'
import { plural, toBytes } from '../../lib/units.ts'

export class SpoolVerify extends SpoolCommand {
  static override readonly summary = 'Check every byte of a spool: checksums, ledger, files.'
  static override readonly description =
    'Changes nothing; works beside a running server. Exit code 1 when something is damaged or missing.'
  static override readonly examples = ['sluice spool verify', 'sluice spool verify --spool ./data/.diskpool --json']

  async run(): Promise<SpoolCheck> {
    const { flags } = await this.parse(SpoolVerify)
    const { disk, holder } = await openDisk(await this.directory(flags))
    const { verifySpool } = await import('../../../../src/spool/tool/verify.ts')
    const progress = createProgress({ label: 'Checking' })
    const verdict = await verifySpool(disk, {
      isHeld: holder !== undefined,
      onProgress: (done, total, file) => progress.update(done, total, file),
    }).finally(() => progress.end())
    const check = toSpoolCheck(verdict, holder)
    for (const { level, file, detail } of check.findings) {
      this.log(`${level === 'problem' ? marks.bad() : marks.warn()} ${toSafeText(`${file}: ${detail}`)}`)
    }
    const summary = `${plural(check.segments, 'segment')} with ${plural(check.segmentEvents, 'event')}, ${plural(check.files, 'file')} with ${plural(check.fileEvents, 'event')}, ${toBytes(check.checkedBytes)}`
    if (check.problems > 0 && !this.jsonEnabled()) {
      throw new CliError(`${plural(check.problems, 'problem')}; checked ${summary}`, { code: 'damaged' })
    }
    if (check.problems > 0) process.exitCode = 1
    this.log(`${marks.ok()} ${summary}: all is well`)
    return check
  }
}
