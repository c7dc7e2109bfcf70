/**
 * Whether a store writes only where nothing is when it is asked to (`If-None-Match: *`). Some take the condition and do not
 * look at it; so it is tried, by a PUT and by an upload in parts, on an object of our own that is removed again.
 *
 * The rule: a file that must not replace another one gets its name by one of these two, in a store that was seen to look.
 */
import { crc32 } from 'node:zlib'
import { hasCode, refusal } from '../cluster/steps.ts'
import type { FileSystemError } from '../filesystem.ts'
import { parentPath } from '../path.ts'
import { temporaryName } from '../temporary-name.ts'
import type { S3Client } from './client.ts'
import { deleteKey } from './delete-keys.ts'
import { s3CodeOf } from './errors.ts'
import { headObject } from './objects.ts'
import { toObjectKey } from './place.ts'
import { abandonUpload, beginUpload, completeUpload, sendPart } from './write/multipart.ts'
import { putObject } from './write/put-object.ts'

/** A write that gives a file its name. */
export type NamingWrite = {
  readonly path: string
  /** Whether it may take the place of another one. */
  readonly overwrite: boolean
  /** Whether its sender keeps account of it: one of several steps, of which others must not replace. @default false */
  readonly isNoted?: boolean
  /** Whether no other sender uses its name. @default false */
  readonly isUnique?: boolean
}

export type ConditionProof = {
  /**
   * Admits a write. Rejects with `unsupported` and what to do where it must not replace, and the store does not honour the
   * condition; with `unavailable` while that is not known, and for one that is noted: it waits.
   * @returns whether the condition keeps it from replacing: of a unique name it does not have to
   */
  admit(write: NamingWrite): Promise<boolean>
  /**
   * Tries it in a directory. Rejects with `unsupported` where the store does not honour the condition, which nothing but
   * another store changes.
   */
  check(directory: string): Promise<void>
}

/** @param onTry hears of each try, which leaves something where the process is killed */
export const createConditionProof = (client: S3Client, onTry: () => void): ConditionProof => {
  let proving: Promise<boolean> | undefined
  /** A store that did not answer is asked again the next time. */
  const isHonoured = (directory: string, path: string): Promise<boolean> => {
    if (!proving) onTry()
    proving ??= tryCondition(client, directory).catch((error: unknown) => {
      proving = undefined
      // Of what is not done there are other refusals than of a file.
      if (hasCode(error, 'unavailable', 'denied', 'quota-exceeded')) throw error
      throw refusal('unavailable', path, 'create', 'whether the store honours If-None-Match is not known', error)
    })
    return proving
  }
  const refuse = (code: 'unavailable' | 'unsupported', path: string): FileSystemError =>
    refusal(code, path, 'create', `${client.place.url} ${notHonoured}`)
  return {
    admit: async ({ path, overwrite, isNoted = false, isUnique = false }) => {
      if (overwrite && (isUnique || !isNoted)) return false
      const isProven = await isHonoured(parentPath(path), path)
      if (isProven || isUnique) return isProven
      throw refuse(isNoted ? 'unavailable' : 'unsupported', path)
    },
    check: async directory => {
      if (!(await isHonoured(directory, directory))) throw refuse('unsupported', directory)
    },
  }
}

const notHonoured =
  'does not honour If-None-Match, so that a file could replace another one, or be there twice: use a store that does (AWS S3, or a newer version of this one), tables in a REST catalog (collector.output.catalog), or another cluster for collector.event-output-directory'

const bytes = Buffer.from('sluice')
const crc = crc32(bytes)

/** Removes an object, which may be missing. */
const remove = (client: S3Client, path: string): Promise<void> =>
  deleteKey(client, path, toObjectKey(client.place, path))

const tryCondition = async (client: S3Client, directory: string): Promise<boolean> => {
  const path = `${directory === '/' ? '' : directory}/${temporaryName()}`
  const naming = { path, overwrite: false }
  let mayComeLater = false
  const writes = hearing(client, () => (mayComeLater = true))
  // Never completed: as long as there may be an object, an upload tells of it.
  const witness = await beginUpload(client, path)
  try {
    // Its name is random: an answer that is lost must not look like a refusal.
    await putObject(writes, { ...naming, overwrite: true }, { bytes, crc })
    if (!(await isRefused(putObject(writes, naming, { bytes, crc })))) return false
    const upload = await beginUpload(client, path)
    try {
      const part = await sendPart(client, upload, 1, { bytes, crc })
      return await isRefused(completeUpload(writes, upload, naming, { parts: [part], crc }))
    } finally {
      await abandonUpload(client, upload)
    }
  } finally {
    await remove(client, path)
    if (!mayComeLater) await abandonUpload(client, witness)
  }
}

/** A client whose calls say when their outcome is not known. */
const hearing = (client: S3Client, onUnknown: () => void): S3Client => ({
  ...client,
  call: (call, take) => client.call({ ...call, onUnknown }, take),
  xml: call => client.xml({ ...call, onUnknown }),
})

/** Whether a write that must not replace was refused. Rejects as it does for anything else. */
const isRefused = (write: Promise<unknown>): Promise<boolean> =>
  write.then(
    () => false,
    (error: unknown) => {
      if (isRefusal(error)) return true
      // It lacks the condition, and says so.
      if (hasCode(error, 'unsupported')) return false
      throw error
    },
  )

/**
 * Removes the object of a try whose process was killed, or that came after its try; the upload that was begun before the
 * object and is given up after it tells of it. @returns whether the upload can go: not while the object may be that of a try that goes on
 */
export const removeTry = async (
  client: S3Client,
  path: string,
  isLeftOver: (modified: number) => boolean,
  signal?: AbortSignal,
): Promise<boolean> => {
  const found = await headObject(client, path, 'look at', signal)
  if (found?.length !== bytes.length) return true
  if (!isLeftOver(found.modificationTime)) return false
  await remove(client, path)
  return true
}

/** Both say that the condition was looked at. */
const isRefusal = (error: unknown): boolean =>
  hasCode(error, 'exists') || s3CodeOf(error) === 'ConditionalRequestConflict'
