/**
 * Whether a store writes only where nothing is when it is asked to (`If-None-Match: *`). Some take the condition and do not
 * look at it; so it is tried, by a PUT and by an upload in parts, on an object of our own that is removed again.
 */
import { crc32 } from 'node:zlib'
import { hasCode, refusal } from '../cluster/steps.ts'
import type { FileSystemError } from '../filesystem.ts'
import { parentPath } from '../path.ts'
import { temporaryName } from '../temporary-name.ts'
import type { S3Client } from './client.ts'
import { s3CodeOf } from './errors.ts'
import { toObjectKey } from './place.ts'
import { abandonUpload, beginUpload, completeUpload, sendPart } from './write/multipart.ts'
import { putObject } from './write/put-object.ts'

export type ConditionProof = {
  /** Tries it in the directory of a file, once. Rejects with `unavailable`, in any case while it is not proven. */
  prove(path: string): Promise<void>
  /** Tries it in a directory. Rejects with `unsupported` where the store does not honour the condition, which nothing but another store changes. */
  check(directory: string): Promise<void>
}

export const createConditionProof = (client: S3Client): ConditionProof => {
  let proving: Promise<boolean> | undefined
  /** A store that did not answer is asked again the next time. */
  const isHonoured = (directory: string, path: string): Promise<boolean> => {
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
    prove: async path => {
      if (!(await isHonoured(parentPath(path), path))) throw refuse('unavailable', path)
    },
    check: async directory => {
      if (!(await isHonoured(directory, directory))) throw refuse('unsupported', directory)
    },
  }
}

const notHonoured =
  'does not honour If-None-Match, so that files could be in it twice: use a store that does (AWS S3, or a newer version of this one), or another cluster for collector.event-output-directory'

const bytes = Buffer.from('sluice')
const crc = crc32(bytes)

const tryCondition = async (client: S3Client, directory: string): Promise<boolean> => {
  const path = `${directory === '/' ? '' : directory}/${temporaryName()}`
  const naming = { path, overwrite: false }
  const remove = (): Promise<void> =>
    client.call(
      { method: 'DELETE', key: toObjectKey(client.place, path), path, action: 'delete', repeatable: true },
      ({ body }) => body.cancel(),
    )
  // Its name is random: an answer that is lost must not look like a refusal.
  await putObject(client, { ...naming, overwrite: true }, { bytes, crc })
  try {
    const isHonoured = async (write: () => Promise<unknown>): Promise<boolean> =>
      await write().then(
        () => false,
        (error: unknown) => {
          if (isRefusal(error)) return true
          throw error
        },
      )
    if (!(await isHonoured(() => putObject(client, naming, { bytes, crc })))) return false
    const upload = await beginUpload(client, path)
    try {
      const part = await sendPart(client, upload, 1, { bytes, crc })
      return await isHonoured(() => completeUpload(client, upload, naming, { parts: [part], crc }))
    } finally {
      await abandonUpload(client, upload)
    }
  } finally {
    await remove()
  }
}

/** Both say that the condition was looked at. */
const isRefusal = (error: unknown): boolean =>
  hasCode(error, 'exists') || s3CodeOf(error) === 'ConditionalRequestConflict'
