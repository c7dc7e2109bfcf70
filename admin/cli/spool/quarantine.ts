import type { Disk } from '../../../src/disk/disk.ts'
import { CliError } from '../command/failure.ts'

const maxSample = 3
const maxProblems = 20

/**
 * What is known of a quarantined piece: its place in the file system, where it is a bucket file, its first events as
 * JSON, and what cannot be read of it. @throws CliError `not-found`
 */
export const showQuarantined = async (disk: Disk, name: string) => {
  const [{ viewSpool }, { dumpSpool }, { targetPath }] = await Promise.all([
    import('../../../src/spool/tool/view.ts'),
    import('../../../src/spool/tool/dump.ts'),
    import('../../../src/spool/files/target-path.ts'),
  ])
  const view = await viewSpool(disk)
  const piece = view.quarantine.find(one => one.name === name)
  if (!piece)
    throw new CliError(`${name} is not in quarantine`, {
      code: 'not-found',
      hint: 'See `sluice spool quarantine list`.',
    })
  const record = view.files.find(({ file }) => file.name === name)
  const sample: string[] = []
  const problems: string[] = []
  let readableEvents = 0
  const onProblem = (_source: string, problem: string): void => {
    if (problems.length < maxProblems) problems.push(problem)
  }
  for await (const { line } of dumpSpool(disk, { only: [name], onProblem })) {
    readableEvents++
    if (sample.length < maxSample) sample.push(line)
  }
  const { kind, bytes, reason } = piece
  const target = record ? targetPath(record.file) : null
  return { name, kind, bytes, reason, target, readableEvents, sample, problems }
}
