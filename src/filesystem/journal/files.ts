import type { Extent, FilesImage, JournalChange } from './frame.ts'

/** A file of a log, and where its bytes are. */
export type JournalFile = {
  readonly file: number
  readonly name: string
  readonly length: number
  readonly extents: readonly Extent[]
}

/** The files of a log, as the changes in its journal have made them. */
export type JournalFiles = {
  /** @param start first byte of the payload in the object with this number */
  apply(changes: readonly JournalChange[], number: number, start: number): void
  /** Replaces all files by those of an image. */
  reset(image: FilesImage): void
  get(name: string): JournalFile | undefined
  /** Whether a file is there, under whichever name. */
  has(file: number): boolean
  /** In the order of their names. */
  list(): readonly JournalFile[]
  /** The number that the next file gets; each is given once. */
  next(): number
  image(): FilesImage
  /** Numbers of all objects that have bytes of a file. */
  needed(): ReadonlySet<number>
  /** Number of extents of all files. */
  readonly places: number
}

type Kept = { readonly file: number; readonly name: string; length: number; extents: Extent[] }

export const noFiles: FilesImage = { next: 1, files: [] }

export const createJournalFiles = (): JournalFiles => {
  const byName = new Map<string, Kept>()
  const byNumber = new Map<number, Kept>()
  let next = 1
  let places = 0

  const remove = (name: string): void => {
    const kept = byName.get(name)
    if (!kept) return
    byName.delete(name)
    byNumber.delete(kept.file)
    places -= kept.extents.length
  }
  const add = (kept: Kept): void => {
    remove(kept.name)
    places += kept.extents.length
    byName.set(kept.name, kept)
    byNumber.set(kept.file, kept)
    next = Math.max(next, kept.file + 1)
  }
  const append = (kept: Kept, [number, offset, length]: Extent): void => {
    const last = kept.extents.at(-1)
    kept.length += length
    if (last?.[0] === number && last[1] + last[2] === offset)
      kept.extents[kept.extents.length - 1] = [number, last[1], last[2] + length]
    else if (length > 0) {
      kept.extents.push([number, offset, length])
      places++
    }
  }

  return {
    apply: (changes, number, start) => {
      let offset = start
      for (const change of changes) {
        if (change.do === 'create') add({ file: change.file, name: change.name, length: 0, extents: [] })
        else if (change.do === 'delete') remove(change.name)
        else if (change.do === 'rename') {
          const kept = byName.get(change.from)
          // An abandoned file may have been deleted.
          if (!kept || change.from === change.to) continue
          remove(change.from)
          add({ ...kept, name: change.to })
        } else {
          const kept = byNumber.get(change.file)
          if (kept) append(kept, [number, offset, change.length])
          offset += change.length
        }
      }
    },
    reset: image => {
      byName.clear()
      byNumber.clear()
      places = 0
      next = image.next
      for (const { file, name, extents } of image.files)
        add({ file, name, extents: [...extents], length: extents.reduce((sum, [, , length]) => sum + length, 0) })
    },
    get: name => byName.get(name),
    has: file => byNumber.has(file),
    list: () => [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    next: () => next++,
    image: () => ({
      next,
      files: Array.from(byName.values(), ({ file, name, extents }) => ({ file, name, extents: [...extents] })),
    }),
    needed: () => new Set(byName.values().flatMap(({ extents }) => extents.map(([number]) => number))),
    get places() {
      return places
    },
  }
}
