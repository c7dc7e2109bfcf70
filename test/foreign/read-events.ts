import type { FoundEvent } from './found-event.ts'
import { readJsonLines } from './read-json-lines.ts'
import { type ColumnKinds, readParquet } from './read-parquet.ts'
import { readSequenceFile } from './read-sequence-file.ts'
import { readSmile } from './read-smile.ts'
import { readThrift } from './read-thrift.ts'
import { listTree, type Store } from './store.ts'
import { unpack } from './unpack.ts'

type Reader = (bytes: Uint8Array, columnKinds: ColumnKinds) => readonly FoundEvent[] | Promise<readonly FoundEvent[]>

/** What reads a file, by the end of its name. */
const readers: Readonly<Record<string, Reader>> = {
  smile: readSmile,
  thrift: readThrift,
  jsonl: readJsonLines,
  seq: readSequenceFile,
  parquet: readParquet,
}

/** Files read at the same time. */
const concurrency = 6

export type StoredEvents = {
  readonly files: number
  readonly events: readonly FoundEvent[]
  /** What cannot be read, or not together with other files, a sentence each. */
  readonly unreadable: readonly string[]
}

/** All events below a directory, as third-party readers see them; temporary files left out. */
export const readEvents = async (store: Store, directory: string): Promise<StoredEvents> => {
  const events: FoundEvent[] = []
  const unreadable: string[] = []
  const paths = [...(await listTree(store, directory))]
  const files = paths.length
  const kinds = new Map<string, ColumnKinds>()
  /** Files of a table have no name of their events: those of two tables need not agree. */
  const kindsFor = (path: string): ColumnKinds => {
    const table = /^.*(?=\/data\/eventDate_hour=)/.exec(path)?.[0] ?? ''
    const known = kinds.get(table) ?? new Map()
    kinds.set(table, known)
    return known
  }
  const read = async (): Promise<void> => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      try {
        const { type, bytes } = unpack(path, await store.read(path))
        const reader = readers[type]
        if (!reader) throw new Error('nothing here reads such files')
        for (const event of await reader(bytes, kindsFor(path))) events.push(event)
      } catch (error) {
        unreadable.push(`${path}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, read))
  return { files, events, unreadable }
}
