import type { FoundEvent } from './found-event.ts'
import { readJsonLines } from './read-json-lines.ts'
import { readSequenceFile } from './read-sequence-file.ts'
import { readSmile } from './read-smile.ts'
import { readThrift } from './read-thrift.ts'
import { listTree, type Store } from './store.ts'
import { unpack } from './unpack.ts'

/** What reads a file, by the end of its name. */
const readers: Readonly<Record<string, (bytes: Uint8Array) => readonly FoundEvent[] | Promise<readonly FoundEvent[]>>> =
  { smile: readSmile, thrift: readThrift, jsonl: readJsonLines, seq: readSequenceFile }

/** Files read at the same time. */
const concurrency = 6

export type StoredEvents = {
  readonly files: number
  readonly events: readonly FoundEvent[]
  /** What cannot be read, a sentence each. */
  readonly unreadable: readonly string[]
}

/** All events below a directory, as somebody else's readers see them; temporary files left out. */
export const readEvents = async (store: Store, directory: string): Promise<StoredEvents> => {
  const events: FoundEvent[] = []
  const unreadable: string[] = []
  const paths = [...(await listTree(store, directory))]
  const files = paths.length
  const read = async (): Promise<void> => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      try {
        const { type, bytes } = unpack(path, await store.read(path))
        const reader = readers[type]
        if (!reader) throw new Error('nothing here reads such files')
        for (const event of await reader(bytes)) events.push(event)
      } catch (error) {
        unreadable.push(`${path}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, read))
  return { files, events, unreadable }
}
