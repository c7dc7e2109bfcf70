import { throwIfAborted } from '../abortable.ts'
import { refusal } from '../cluster/steps.ts'
import type { ContentSummary, HadoopVerbs } from '../hadoop-verbs.ts'
import type { S3Client } from './client.ts'
import { listKeyPages } from './list-keys.ts'
import { headObject } from './objects.ts'
import { toDirectoryKey } from './place.ts'

const action = 'summarize'
const none = { quota: -1, spaceQuota: -1 } as const

/** Makes the `getContentSummary` of a store, which looks at each key, and holds a page of them. */
export const createSummary =
  (client: S3Client): HadoopVerbs['getContentSummary'] =>
  async (path, { signal } = {}) => {
    throwIfAborted(signal, path)
    const file = await headObject(client, path, action, signal)
    if (file) return { directoryCount: 0, fileCount: 1, length: file.length, spaceConsumed: file.length, ...none }
    const prefix = toDirectoryKey(client.place, path)
    const count = createCount()
    for await (const { keys } of listKeyPages(client, { prefix, path, action, signal })) {
      for (const { key, length } of keys) count.add(key.slice(prefix.length), length)
    }
    if (count.isEmpty() && path !== '/') {
      throw refusal('not-found', path, action, 'there is no such file or directory')
    }
    return count.sum()
  }

/** Keys of one directory follow one another: only where it changes is there a directory more. */
const createCount = () => {
  let [fileCount, length, directoryCount] = [0, 0, 1]
  let isEmpty = true
  let directory: readonly string[] = []
  return {
    isEmpty: (): boolean => isEmpty,
    add: (name: string, bytes: number): void => {
      isEmpty = false
      const names = name.split('/').slice(0, -1)
      const same = names.findIndex((one, at) => one !== directory[at])
      directoryCount += same < 0 ? 0 : names.length - same
      directory = names
      // The empty object of a directory does not count as a file.
      if (name === '' || name.endsWith('/')) return
      fileCount++
      length += bytes
    },
    sum: (): ContentSummary => ({ directoryCount, fileCount, length, spaceConsumed: length, ...none }),
  }
}
