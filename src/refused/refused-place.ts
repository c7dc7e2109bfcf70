import { DamagedFile, type RefusedFiles } from './refused-files.ts'
import type { RefusedRecord } from './refused-record.ts'

/** Where refused events are, and the end of the time range that is searched. */
export type RefusedPlace = {
  readonly files: RefusedFiles
  /** The directory of all event types. */
  readonly root: string
  /** Whether it has taken long enough. */
  readonly isOver: () => boolean
  /** Hears of each file that cannot be read to its end: it hides none of the others. */
  readonly onUnreadable: (file: UnreadableFile) => void
}

/** A file of which not all rows can be read. */
export type UnreadableFile = { readonly path: string; readonly reason: string }

/** The same for as long as there is time: then nothing has anything in it, and a damaged file hides no other. */
export const withinPlace = ({ files, isOver, onUnreadable }: RefusedPlace): RefusedFiles => ({
  directories: async path => (isOver() ? [] : files.directories(path)),
  files: async path => (isOver() ? [] : files.files(path)),
  rows: async function* rowsOfPlace(path, mayBe = () => true): AsyncGenerator<RefusedRecord, void, undefined> {
    if (isOver()) return
    try {
      yield* files.rows(path, text => (isOver() ? 'end' : mayBe(text)))
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error
      onUnreadable({ path, reason: error.message })
    }
  },
})
