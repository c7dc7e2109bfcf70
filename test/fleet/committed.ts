import type { FoundEvent } from '../foreign/found-event.ts'
import { readEvents } from '../foreign/read-events.ts'
import type { Store } from '../foreign/store.ts'
import { findEvents } from '../suites/marks.ts'

/** The events in committed files, as programs of other make read them. */
export type Committed = {
  /** The number of each event in what has been committed since the last look. */
  look(): Promise<readonly number[]>
  readonly files: number
}

/**
 * Reads each file once: a check while events arrive would read everything again each time.
 * @throws Error that names the files that cannot be read
 */
export const createCommitted = (store: Store, outputDirectory: string): Committed => {
  const known = new Set<string>()
  const unseen: Store = {
    list: async directory =>
      (await store.list(directory)).filter(({ path, isDirectory }) => isDirectory || !known.has(path)),
    read: async path => {
      const bytes = await store.read(path)
      known.add(path)
      return bytes
    },
  }
  return {
    look: async () => {
      const { events, unreadable } = await readEvents(unseen, outputDirectory)
      if (unreadable.length > 0) throw new Error(`Files that cannot be read: ${unreadable.join('; ')}`)
      return events.map(toNumber)
    },
    get files() {
      return known.size
    },
  }
}

/** The number that an event carries; NaN without one. */
const toNumber = ({ fields }: FoundEvent): number => {
  const text = JSON.stringify(fields, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  return findEvents(Buffer.from(text))[0] ?? Number.NaN
}
