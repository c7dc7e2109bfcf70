import { hasCode, refusal } from '../cluster/steps.ts'
import { createJournalFiles, type JournalFiles, noFiles } from './files.ts'
import { type DecodedEntry, damaged, type JournalEntry } from './frame.ts'
import type { JournalObjects } from './objects.ts'

/** A journal up to its head. */
export type ReplayedJournal = {
  readonly head: number
  /** The header of the head. */
  readonly entry: JournalEntry
  readonly files: JournalFiles
}

/** Headers that are read at a time. */
const atOnce = 8

/** Attempts of a reader; before each further one the writer has deleted an object that it needed. */
const maxReads = 5

/** The head of a journal; undefined for one without objects. Rejects with `FileSystemError`. */
export const readHead = async (
  objects: JournalObjects,
): Promise<{ readonly head: number; readonly entry: JournalEntry } | undefined> => {
  for (let read = 1; ; read++) {
    const head = await objects.head()
    if (head === 0) return undefined
    try {
      return { head, entry: (await objects.look(head)).entry }
    } catch (error) {
      // A later object is the head by now.
      if (!hasCode(error, 'not-found')) throw error
      refuseOften(objects, head, read, error)
    }
  }
}

/** All files of a log; undefined for a journal without objects. */
export const replay = async (objects: JournalObjects): Promise<ReplayedJournal | undefined> => {
  for (let read = 1; ; read++) {
    const found = await readHead(objects)
    if (!found) return undefined
    const { head, entry } = found
    try {
      return { head, entry, files: await replayTo(objects, entry.since, head) }
    } catch (error) {
      if (!hasCode(error, 'not-found')) throw error
      refuseOften(objects, head, read, error)
    }
  }
}

const refuseOften = (objects: JournalObjects, head: number, read: number, cause: unknown): void => {
  if (read < maxReads) return
  const path = objects.pathOf(head)
  throw refusal('unavailable', path, 'read', `a part of the log is deleted again and again while it is read`, cause)
}

const replayTo = async (objects: JournalObjects, since: number, head: number): Promise<JournalFiles> => {
  const files = createJournalFiles()
  let session: string | undefined
  for (let first = since; first <= head; first += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, head - first + 1) }, (_, index) => first + index)
    const found = await Promise.all(numbers.map(number => objects.look(number)))
    for (const [index, one] of found.entries()) {
      const number = first + index
      if (number === since || one.entry.kind === 'claim') session = one.entry.session
      if (one.entry.session !== session) throw damaged(objects.pathOf(number), 'it is not of the session before it')
      applyOne(files, one, number)
    }
  }
  return files
}

const applyOne = (files: JournalFiles, { entry, start }: DecodedEntry, number: number): void => {
  if (entry.kind === 'claim') {
    if (entry.since === number) files.reset(noFiles)
    return
  }
  if (entry.image) files.reset(entry.image)
  files.apply(entry.changes, number, start)
}
