/**
 * The last steps of a file that is whole under its temporary name. Where it is under neither name, what is known of its
 * RENAMEs decides:
 *
 *     each RENAME was answered, with a refusal      `again`: it is gone, and surely not renamed
 *     a RENAME had no answer                        `taken`: renamed and gone since, or never renamed; a person decides
 *     it was noted by an earlier process            `taken`: that one may have sent the RENAME
 */
import { type Attempt, type FileStatus, type FileSystem, FileSystemError, type Settled } from '../filesystem.ts'
import { findStatus } from '../find-status.ts'
import { absent, compareFile } from './compare-file.ts'
import type { PublishSteps } from './steps.ts'

/** How often a refused RENAME is repeated. */
const maxRenames = 3

type Steps = Pick<PublishSteps, 'open' | 'getFileStatus' | 'rename'>

/** An attempt, and where it is to go. */
export type Move = Attempt & {
  readonly path: string
  readonly overwrite?: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Gives it its name.
 * @param allAnswered whether each RENAME that was sent before had an answer
 */
export const move = async (steps: Steps, to: Move, allAnswered: boolean): Promise<Settled> => {
  let isKnown = allAnswered
  for (let sent = 1; ; sent++) {
    let failure: unknown
    try {
      await steps.rename(to.temporary, to.path, { overwrite: to.overwrite === true })
      return { outcome: 'done' }
    } catch (error) {
      failure = error
    }
    const code = failure instanceof FileSystemError ? failure.code : undefined
    isKnown &&= code !== undefined && code !== 'unavailable'
    const place = await judge(steps, to)
    if (place === 'done' || place === 'foreign') return { outcome: place, failure }
    if (place === 'gone') return { outcome: isKnown ? 'again' : 'taken', failure }
    if (place === 'cut') return { outcome: 'again', failure }
    // Still there: refused for a reason that may last, or not carried out.
    if ((code !== 'unavailable' && code !== 'not-found') || sent === maxRenames) throw failure
  }
}

/** The outcome of a RENAME that may have been sent, and whose answer was lost. */
export const settle = async (steps: Steps, to: Move): Promise<Settled> => {
  const place = await judge(steps, to)
  if (place === 'done' || place === 'foreign') return { outcome: place }
  if (place === 'gone') return { outcome: 'taken' }
  return place === 'cut' ? { outcome: 'again' } : await move(steps, to, false)
}

/**
 * `whole` and `cut`: it is under its temporary name. A crash of the file system may have cut what it had accepted: only a
 * whole file is moved on.
 */
type Place = 'done' | 'foreign' | 'gone' | 'cut' | 'whole'

/** Where a file is whose RENAME may have been sent. */
const judge = async (steps: Steps, to: Move): Promise<Place> => {
  const { temporary, overwrite, crc } = to
  // Source first: were it the other way round, a rename between the two looks would show neither.
  const source = await findStatus(steps, temporary, absent).catch((cause: unknown) => {
    // A refusal of this look is not the file system's word about the RENAME.
    throw new FileSystemError('unavailable', temporary, `Cannot tell whether "${temporary}" was renamed`, { cause })
  })
  // A target that is as long by chance says nothing while the file is still here.
  const place = source && crc === undefined ? 'none' : await look(steps, to)
  if (place === 'ours') return 'done'
  if (place === 'foreign' && !overwrite) return 'foreign'
  return source ? toPlace(source, to) : 'gone'
}

const toPlace = (source: FileStatus, { length }: Move): Place => (source.length === length ? 'whole' : 'cut')

/** `hidden`: the target may not be looked at; then only the source shows the outcome of a RENAME. */
const look = async (
  steps: Pick<FileSystem, 'open' | 'getFileStatus'>,
  to: Move,
): Promise<Awaited<ReturnType<typeof compareFile>> | 'hidden'> => {
  try {
    return await compareFile(steps, to.path, to, to.signal)
  } catch (error) {
    if (!(error instanceof FileSystemError) || error.code === 'unavailable') throw error
    return 'hidden'
  }
}
