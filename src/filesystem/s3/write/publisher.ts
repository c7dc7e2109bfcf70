/**
 * Whole or not at all, over a store that has no RENAME: nothing is seen of a file before the one write that gives it its
 * name, and that one replaces nothing (`If-None-Match: *`).
 *
 *     up to one part    gather ─▶ note the attempt ─▶ PUT ─┐
 *     more              begin, parts ─▶ note ─▶ Complete ──┴▶ refused, or without an answer: look at what is there
 *
 * Where a store does not look at the condition, a file of a unique name alone is written, and what is there is looked at
 * before, too.
 *
 * What is there is ours where its length and checksum are. So what an answer that was lost has done is found out by the
 * sender, and by the next process that finds a note of it. A file that is not there is sent again: the condition lets it in
 * once, also when the first one arrives late.
 */
import { abortable, throwIfAborted } from '../../abortable.ts'
import { isRefusedAgain } from '../../cluster/failover.ts'
import { hasCode, refusal } from '../../cluster/steps.ts'
import type { FileSystem, Published, PublishOptions } from '../../filesystem.ts'
import { parsePath } from '../../path.ts'
import type { S3Client } from '../client.ts'
import type { ConditionProof } from '../condition.ts'
import { s3CodeOf } from '../errors.ts'
import { headObject, type S3Object, toObjectStatus } from '../objects.ts'
import { toObjectKey } from '../place.ts'
import { lookAtPlace } from './look.ts'
import {
  abandonUpload,
  abandonUploadsOf,
  beginUpload,
  completeUpload,
  type SentPart,
  sendPart,
  type Upload,
} from './multipart.ts'
import { type FilePart, toParts } from './parts.ts'
import { type Naming, putObject } from './put-object.ts'
import { refuseBlocked } from './refuse-blocked.ts'

export type PublisherOptions = {
  readonly open: FileSystem['open']
  readonly proof: ConditionProof
  /** Bytes of a part, and of what goes by one PUT. */
  readonly partBytes: number
}

/** What S3 takes of one object. */
const maxParts = 10_000
/** How often a write that was refused without a reason that lasts is sent. */
const maxWrites = 3

type Sending = Naming & {
  readonly attempt: PublishOptions['attempt']
  /** Whether the condition keeps it from replacing. */
  readonly isGuarded: boolean
}
/** What is known of a file when all of its bytes are there. */
type Sum = { readonly length: number; readonly crc: number }

/** Makes the `publish` and `settle` of a store. */
export const createS3Publisher = (
  client: S3Client,
  options: PublisherOptions,
): Pick<FileSystem, 'publish' | 'settle'> => {
  const { open, proof, partBytes } = options

  const settleWrite = createSettleWrite(client, open)

  const sendOne = async (sending: Sending, part: FilePart): Promise<Published> => {
    const sum = { length: part.lengthSoFar, crc: part.crcSoFar }
    refuseOtherLength(sending, sum)
    await sending.attempt?.note()
    return await settleWrite(sending, sum, () => putObject(client, toNaming(sending), part))
  }

  const sendParts = async (sending: Sending, first: FilePart, rest: AsyncGenerator<FilePart>): Promise<Published> => {
    const { path, attempt, signal } = sending
    // The path is ours alone, and so is what was begun for it.
    if (attempt) await abandonUploadsOf(client, path, signal)
    const upload = await beginUpload(client, path, { signal })
    try {
      const { parts, sum } = await sendAll(client, upload, first, rest)
      refuseOtherLength(sending, sum)
      await attempt?.note()
      let isCompleted = false
      const settled = await settleWrite(sending, sum, async () => {
        await completeUpload(client, upload, toNaming(sending), { parts, crc: sum.crc })
        isCompleted = true
        return await confirm(client, path, sum.length)
      })
      if (!isCompleted) await abandonUpload(client, upload)
      return settled
    } catch (error) {
      await abandonUpload(client, upload)
      throw error
    }
  }

  return {
    publish: async (text, source, { attempt, overwrite = false, isUnique = false, signal } = {}) => {
      const path = parsePath(text)
      throwIfAborted(signal, path)
      toObjectKey(client.place, path)
      if (!attempt) await refuseBlocked(client, path, overwrite)
      const isGuarded = await proof.admit({ path, overwrite, isNoted: attempt !== undefined, isUnique })
      const parts = toParts(abortable(source, signal, path), toPartBytes(attempt?.length, partBytes))
      try {
        const { value: first } = await parts.next()
        if (!first) throw new TypeError('A source has at least one part')
        const sending = { path, overwrite, attempt, isGuarded, signal }
        return first.isLast ? await sendOne(sending, first) : await sendParts(sending, first, parts)
      } finally {
        await parts.return()
      }
    },

    settle: createSettle(client, options),
  }
}

/** A store that lacks the condition may refuse it. */
const toNaming = ({ path, overwrite, isGuarded, signal }: Sending): Naming => ({
  path,
  overwrite: overwrite || !isGuarded,
  signal,
})

/** The write that gives a file its name, and what became of it. */
const createSettleWrite =
  (client: S3Client, open: FileSystem['open']) =>
  async (sending: Sending, sum: Sum, write: () => Promise<S3Object>): Promise<Published> => {
    const { path, overwrite, attempt, isGuarded, signal } = sending
    const expected = { path, length: sum.length, modificationTime: 0, etag: '' }
    if (!overwrite && !isGuarded) {
      const place = await lookAtPlace(client, open, { path, ...sum, signal })
      if (place === 'foreign' && attempt === undefined) throw takenError(path)
      if (place !== 'none')
        return { outcome: place === 'ours' ? 'done' : 'foreign', status: toObjectStatus(path, expected) }
    }
    for (let sent = 1; ; sent++) {
      try {
        return { outcome: 'done', status: toObjectStatus(path, await write()) }
      } catch (failure) {
        if (!hasCode(failure, 'unavailable', 'exists', 'not-found')) throw failure
        const isFirst = sent === 1 && !isRefusedAgain(failure)
        if (isFirst && attempt === undefined && hasCode(failure, 'exists')) throw takenError(path, failure)
        const place = await lookAtPlace(client, open, { path, ...sum, signal })
        if (place === 'ours') return { outcome: 'done', status: toObjectStatus(path, expected) }
        if (place === 'foreign' && !overwrite) {
          if (attempt === undefined) throw takenError(path, failure)
          return { outcome: 'foreign', failure, status: toObjectStatus(path, expected) }
        }
        const outcome = attempt && outcomeOf(failure, isFirst)
        if (outcome) return { outcome, failure, status: toObjectStatus(path, expected) }
        if (!hasCode(failure, 'exists')) throw failure
        if (sent === maxWrites)
          throw refusal('unavailable', path, 'create', 'it is there for a write, and not for a look', failure)
      }
    }
  }

const createSettle =
  (client: S3Client, { open, partBytes }: PublisherOptions): FileSystem['settle'] =>
  async (text, { length, crc }, { signal } = {}) => {
    const path = parsePath(text)
    const place = await lookAtPlace(client, open, { path, length, crc, signal })
    if (length > partBytes) await abandonUploadsOf(client, path, signal)
    return { outcome: place === 'ours' ? 'done' : place === 'none' ? 'again' : 'foreign' }
  }

/** Of a file whose length is known parts are so large that there are not too many. */
const toPartBytes = (length: number | undefined, partBytes: number): number =>
  Math.max(partBytes, Math.ceil((length ?? 0) / maxParts))

const sendAll = async (
  client: S3Client,
  upload: Upload,
  first: FilePart,
  rest: AsyncGenerator<FilePart>,
): Promise<{ readonly parts: readonly SentPart[]; readonly sum: Sum }> => {
  const parts: SentPart[] = [await sendPart(client, upload, 1, first)]
  let last = first
  for await (const part of rest) {
    if (parts.length === maxParts) {
      throw refusal(
        'unsupported',
        upload.path,
        'create',
        `it has more than ${maxParts} parts of ${first.bytes.length} bytes`,
      )
    }
    parts.push(await sendPart(client, upload, parts.length + 1, part))
    last = part
  }
  return { parts, sum: { length: last.lengthSoFar, crc: last.crcSoFar } }
}

/**
 * What became of an upload that is to be completed, and of which nothing is in place: it cannot be completed any more
 * without all of its parts, or is gone. One that is gone after an answer was lost may have been completed.
 */
const outcomeOf = (failure: unknown, isFirst: boolean): 'again' | 'taken' | undefined => {
  if (s3CodeOf(failure) === 'ConditionalRequestConflict') return 'again'
  if (!hasCode(failure, 'not-found')) return undefined
  return isFirst ? 'again' : 'taken'
}

const confirm = async (client: S3Client, path: string, length: number): Promise<S3Object> => {
  const found = await headObject(client, path, 'create')
  if (found?.length === length) return found
  const there = found ? `${found.length} were stored` : 'it is gone'
  throw refusal('unavailable', path, 'create', `${length} bytes were sent, ${there}`)
}

const refuseOtherLength = ({ path, attempt }: Sending, { length }: Sum): void => {
  if (attempt === undefined || attempt.length === length) return
  throw refusal('unavailable', path, 'create', `it should have ${attempt.length} bytes, and has ${length}`)
}

const takenError = (path: string, cause?: unknown): Error =>
  refusal('exists', path, 'create', 'it exists already', cause)
