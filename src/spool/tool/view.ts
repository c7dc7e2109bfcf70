import type { Disk, DiskEntry } from '../../disk/disk.ts'
import { checkFormats } from '../directory/formats.ts'
import type { FileRecord } from '../files/bucket-file.ts'
import { readLedger } from '../ledger/ledger.ts'
import { isSealed, type LedgerState, notedSegments } from '../ledger/ledger-state.ts'
import { type QuarantineView, viewQuarantine } from '../quarantine/quarantine.ts'
import { readCopyNote } from '../replica/copy-note.ts'
import { toRemoteName } from '../replica/remote-names.ts'
import { parseSegmentName, segmentPath } from '../segment/segment-files.ts'

/** A segment whose events are not in bucket files yet. */
export type SegmentView = {
  readonly number: number
  /** Below the spool's directory. */
  readonly path: string
  readonly bytes: number
  /** After a failed write: nothing beyond it may be read. */
  readonly end: number | undefined
}

/** A segment that the ledger knows, and whose file is gone. */
export type LostSegment = {
  readonly path: string
  readonly events: number | undefined
  /** Where its copy in HDFS should be, which a start looks for. @default none: it is known to be lost */
  readonly copy?: string | undefined
}

/** What a spool directory holds, as its own ledger sees it. */
export type SpoolView = {
  readonly directory: string
  /** Undefined when the directory has no readable id. */
  readonly collectorId: string | undefined
  readonly flushEnabled: boolean
  readonly flushedEvents: number
  readonly lastSealed: number
  readonly segments: readonly SegmentView[]
  readonly lost: readonly LostSegment[]
  /** Bucket files, committed ones included while the ledger remembers them. */
  readonly files: readonly FileRecord[]
  readonly quarantine: readonly QuarantineView[]
}

/**
 * Looks at a spool without changing it, also while a server runs on it.
 * @throws NoSpool when the directory is not a spool; UnknownFormat when another version wrote it
 */
export const viewSpool = async (disk: Disk): Promise<SpoolView> => {
  const root = await listOrNone(disk, '.')
  if (!root.some(({ name }) => name === 'id' || name === 'ledger' || name === 'log')) throw new NoSpool(disk.directory)
  await checkFormats(disk)
  const state = await readLedger(disk)
  const segments: SegmentView[] = []
  for (const { name, length } of await listOrNone(disk, 'log')) {
    const number = parseSegmentName(name)
    if (number === undefined || isSealed(state, number)) continue
    segments.push({ number, path: `log/${name}`, bytes: length, end: state.ends.get(number) })
  }
  return {
    directory: disk.directory,
    collectorId: await readId(disk),
    flushEnabled: state.flushEnabled,
    flushedEvents: state.flushedEvents,
    lastSealed: state.lastSealed,
    segments,
    lost: [...lostSegments(state, segments, (await readCopyNote(disk))?.directory)],
    files: [...state.files.values()].sort((a, b) => (a.file.name < b.file.name ? -1 : 1)),
    quarantine: [
      ...viewQuarantine('_quarantine', await listOrNone(disk, '_quarantine'), state),
      ...viewQuarantine('_taken', await listOrNone(disk, '_taken'), state),
    ],
  }
}

function* lostSegments(
  state: LedgerState,
  segments: readonly SegmentView[],
  copies: string | undefined,
): Generator<LostSegment> {
  const present = new Set(segments.map(({ number }) => number))
  for (const number of notedSegments(state)) {
    if (present.has(number)) continue
    const path = segmentPath(number)
    const copy = copies === undefined ? undefined : `${copies}/${toRemoteName(path)}`
    yield { path, events: state.closed.get(number), copy }
  }
  for (const { file, events, lost } of state.damage.values()) if (lost) yield { path: `log/${file}`, events }
}

/** The directory is not a spool. */
export class NoSpool extends Error {
  override readonly name = 'NoSpool'

  constructor(directory: string) {
    super(`There is no spool at ${directory}`)
  }
}

/** Entries of a directory; none when it is missing. */
export const listOrNone = async (disk: Disk, path: string): Promise<readonly DiskEntry[]> => {
  try {
    return await disk.list(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The id in the spool; undefined without a readable one. */
export const readId = async (disk: Disk): Promise<string | undefined> => {
  try {
    const text = new TextDecoder().decode(await disk.read('id')).trim()
    return /^[0-9a-f]{32}$/.test(text) ? text : undefined
  } catch {
    return undefined
  }
}
