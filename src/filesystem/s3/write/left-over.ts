import type { Uploads } from '../../filesystem.ts'
import { parsePath } from '../../path.ts'
import { temporaryPrefix } from '../../temporary-name.ts'
import type { S3Client } from '../client.ts'
import { isTry } from '../condition.ts'
import { deleteKey } from '../delete-keys.ts'
import { listKeyPages } from '../list-keys.ts'
import { toTime } from '../objects.ts'
import { toDirectoryKey } from '../place.ts'
import { listUploadPages } from './list-uploads.ts'
import { abortIfThere } from './multipart.ts'

/**
 * Uploads in parts whose sender is gone: a store keeps them, and asks for their price, until they are given up. And the
 * objects with which such a sender tried the condition in the directory itself.
 */
export const createUploads = (client: S3Client): Uploads => ({
  giveUp: async (text, isLeftOver, { signal } = {}) => {
    const directory = parsePath(text)
    const prefix = toDirectoryKey(client.place, directory)
    const how = { path: directory, action: 'look for uploads in', signal }
    const toPath = (key: string): string => `${directory === '/' ? '' : directory}/${key.slice(prefix.length)}`
    /** One whose beginning is not known was begun just now. */
    const toAge = (begun: number): number => (begun === 0 ? 0 : client.now() - begun)
    let count = 0
    for await (const page of listUploadPages(client, { prefix, ...how })) {
      for (const { key, id, begun } of page) {
        const path = toPath(key)
        if (!isLeftOver(path, toAge(begun))) continue
        await abortIfThere(client, { key, path, id, signal })
        count++
      }
    }
    const tries = { prefix: prefix + temporaryPrefix, byDirectory: true }
    for await (const { keys } of listKeyPages(client, { ...tries, ...how })) {
      for (const { key, length, modified } of keys) {
        const path = toPath(key)
        if (!isTry(path, length) || !isLeftOver(path, toAge(toTime(modified)))) continue
        await deleteKey(client, path, key)
        count++
      }
    }
    return count
  },
})
