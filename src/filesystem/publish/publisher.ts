/**
 * Whole or not at all, over a file system that renames without replacing:
 *
 *     CREATE under a temporary name ─▶ compare the length ─▶ note the attempt ─▶ RENAME ─▶ without an answer: look
 *
 * The file is invisible before the RENAME, and complete after it. The outcome of a RENAME without an answer is found
 * out in one place, `move.ts`, by its sender or, after a crash, from the note of it.
 */
import { type Attempt, type FileSystem, FileSystemError, type Published, type PublishOptions } from '../filesystem.ts'
import type { CreateOptions } from '../hadoop-verbs.ts'
import { parsePath } from '../path.ts'
import { leavingNothing } from './leave-nothing.ts'
import { move, settle } from './move.ts'
import type { PublishSteps } from './steps.ts'
import { tap } from './tap.ts'

/** Makes `publish` and `settle` of a file system out of its steps. */
export const createPublisher = (steps: PublishSteps): Pick<FileSystem, 'publish' | 'settle'> => ({
  publish: async (text, source, { attempt, ...options } = {}) => {
    const path = parsePath(text)
    if (attempt) return await send(steps, path, source, options, attempt)
    return await leavingNothing(steps, path, options.overwrite === true, temporary =>
      send(steps, path, source, options, { temporary }),
    )
  },
  settle: (text, attempt, { signal } = {}) => settle(steps, { ...attempt, path: parsePath(text), signal }),
})

/** Where it is sent to, and what is known of it before. */
type Sending = Pick<Attempt, 'temporary'> & Partial<NonNullable<PublishOptions['attempt']>>

const send = async (
  steps: PublishSteps,
  path: string,
  source: AsyncIterable<Uint8Array>,
  { overwrite = false, ...options }: CreateOptions,
  { temporary, length, crc, note }: Sending,
): Promise<Published> => {
  let bytes = 0
  const counted = tap(source, more => {
    bytes += more
  })
  await steps.create(temporary, counted, { ...options, overwrite: true })
  const status = await steps.getFileStatus(temporary)
  const whole = length ?? bytes
  if (status.length !== whole) {
    if (note) await steps.delete(temporary)
    const message = `Cannot create "${path}": ${whole} bytes were sent, ${status.length} were stored`
    throw new FileSystemError('unavailable', path, message)
  }
  await note?.()
  const settled = await move(steps, { temporary, length: whole, crc, path, overwrite, signal: options.signal }, true)
  return { ...settled, status: { ...status, path } }
}
