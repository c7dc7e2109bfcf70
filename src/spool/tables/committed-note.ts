/**
 * What a table says of the files of one collector, in its property `sluice.committed.<collector-id>`, as JSON:
 *
 *     {"segment":17,"since":"20260102T030405.000Z","open":["20260102T030405.000Z-…-16-0.parquet"]}
 *
 * Every file of the collector for this table that was made from a segment up to this one is part of the table, except
 * those that are open; a file of a later segment is not. The commit that makes files part of the table sets it, and
 * nothing else does: so it is true whatever became of a reply. Programs that rewrite the table, or expire its
 * snapshots, leave it alone.
 */
import type { BucketFile } from '../files/bucket-file.ts'
import { parseSince } from '../files/file-since.ts'
import { type Check, checks } from '../framing/check.ts'

export type CommittedNote = {
  readonly segment: number
  /**
   * The latest time in a name of these files: a file with a later time belongs to another lineage, of a spool that was
   * an older copy and continued.
   */
  readonly since: string
  /** Names of files. */
  readonly open: readonly string[]
}

type NamedFile = Pick<BucketFile, 'name' | 'segment'>

/** Most open files: each version of the metadata lists them. */
const maxOpen = 10_000

export const committedKey = (collectorId: string): string => `sluice.committed.${collectorId}`

const { text, number, list, object } = checks
const isNote: Check<CommittedNote> = object<CommittedNote>({ segment: number, since: text, open: list(text) })

/** @param value of the property; undefined where it is absent @throws TypeError where it is another's */
export const parseNote = (value: string | undefined): CommittedNote | undefined => {
  if (value === undefined) return undefined
  let note: unknown
  try {
    note = JSON.parse(value)
  } catch {}
  if (isNote(note)) return note
  throw new TypeError(
    `Its property sluice.committed… is not one that a collector has written: ${value.slice(0, 100)}; expected {"segment":…}`,
  )
}

/** Whether a table has a file. */
export const isCommitted = (note: CommittedNote | undefined, { name, segment }: NamedFile): boolean =>
  note !== undefined && segment <= note.segment && sinceOf(name) <= note.since && !note.open.includes(name)

/**
 * What is open stays so until it is committed, or was removed: a ledger that does not know it may be that of another machine than
 * the one that has the file.
 * @param files that become part of the table now
 * @param others of the same table and collector: all that the ledger has, and that are not known to be part of it
 * @param wasRemoved whether no file of a name comes any more
 */
export const toNote = (
  before: CommittedNote | undefined,
  files: readonly NamedFile[],
  others: Iterable<NamedFile>,
  wasRemoved: (name: string) => boolean,
): CommittedNote => {
  let { segment, since } = before ?? { segment: 0, since: '' }
  for (const file of files) {
    segment = Math.max(segment, file.segment)
    if (sinceOf(file.name) > since) since = sinceOf(file.name)
  }
  const now = new Set(files.map(({ name }) => name))
  const after = { segment, since, open: [] }
  const open = new Set(before?.open.filter(name => !now.has(name) && !wasRemoved(name)))
  for (const file of others)
    if (!now.has(file.name) && !isCommitted(before, file) && isCommitted(after, file)) open.add(file.name)
  if (open.size > maxOpen)
    throw new RangeError(
      `${open.size} earlier files of this collector are not committed, and at most ${maxOpen} may be: see to those in quarantine`,
    )
  return { segment, since, open: [...open].toSorted() }
}

const sinceOf = (name: string): string => parseSince(name)?.since ?? ''
