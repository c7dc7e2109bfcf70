import { startTimeout } from '../../../runtime/timers.ts'
import type { Uploads } from '../../filesystem.ts'
import { baseName, parsePath } from '../../path.ts'
import { isTemporaryName } from '../../temporary-name.ts'
import type { S3Client } from '../client.ts'
import { removeTry } from '../condition.ts'
import { toDirectoryKey } from '../place.ts'
import { listUploadPages } from './list-uploads.ts'
import { abortIfThere } from './multipart.ts'

/**
 * Uploads in parts whose sender is gone: a store keeps them, and asks for their price, until they are given up. And the
 * objects with which such a sender tried the condition.
 */
export const createUploads = (client: S3Client): Uploads => ({
  giveUp: async (text, isLeftOver, { signal } = {}) => {
    const directory = parsePath(text)
    const prefix = toDirectoryKey(client.place, directory)
    const how = { path: directory, action: 'look for uploads in', signal }
    /** One whose beginning is not known was begun just now. */
    const toAge = (begun: number): number => (begun === 0 ? 0 : client.now() - begun)
    let count = 0
    for await (const page of listUploadPages(client, { prefix, ...how })) {
      for (const { key, id, begun } of page) {
        const path = `${directory === '/' ? '' : directory}/${key.slice(prefix.length)}`
        const isOld = (time: number): boolean => isLeftOver(path, toAge(time))
        if (!isOld(begun)) continue
        if (isTemporaryName(baseName(path)) && !(await removeTry(client, path, isOld, signal))) continue
        await abortIfThere(client, { key, path, id, signal })
        count++
      }
    }
    return count
  },
})

/** The age at which a try of the condition is left over. */
const leftOverMs = 3_600_000

/** Removes what killed tries have left anywhere in a store, for processes that know no directory to look in. */
export type TrySweep = {
  /** Does it once, after two hours: what was left before is old enough then. Never rejects. */
  readonly start: () => void
  readonly stop: () => void
}

export const createTrySweep = (uploads: Uploads): TrySweep => {
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const isLeftOver = (path: string, age: number): boolean => age >= leftOverMs && isTemporaryName(baseName(path))
  // What stays does no harm.
  const sweep = (): Promise<unknown> => uploads.giveUp('/', isLeftOver, { signal: stop.signal }).catch(() => {})
  return {
    start: () => {
      timer ??= startTimeout(sweep, 2 * leftOverMs).unref()
    },
    stop: () => {
      stop.abort()
      clearTimeout(timer)
    },
  }
}
