import type { Uploads } from '../../filesystem.ts'
import { parsePath } from '../../path.ts'
import type { S3Client } from '../client.ts'
import { toDirectoryKey } from '../place.ts'
import { listUploadPages } from './list-uploads.ts'
import { abortIfThere } from './multipart.ts'

/** Uploads in parts whose sender is gone: a store keeps them, and asks for their price, until they are given up. */
export const createUploads = (client: S3Client): Uploads => ({
  giveUp: async (text, isLeftOver, { signal } = {}) => {
    const directory = parsePath(text)
    const prefix = toDirectoryKey(client.place, directory)
    let count = 0
    for await (const page of listUploadPages(client, {
      prefix,
      path: directory,
      action: 'look for uploads in',
      signal,
    })) {
      for (const { key, id, begun } of page) {
        const path = `${directory === '/' ? '' : directory}/${key.slice(prefix.length)}`
        // One whose beginning is not known was begun just now.
        if (!isLeftOver(path, begun === 0 ? 0 : client.now() - begun)) continue
        await abortIfThere(client, { key, path, id, signal })
        count++
      }
    }
    return count
  },
})
