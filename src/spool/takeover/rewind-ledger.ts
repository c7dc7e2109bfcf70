import type { Disk } from '../../disk/disk.ts'
import { baseName } from '../../filesystem/path.ts'
import { type FileRecord, mayGoLater } from '../files/bucket-file.ts'
import { parseUnsealedName, segmentInName, unsealedName } from '../files/spool-paths.ts'
import { readLedger, writeLedger } from '../ledger/ledger.ts'
import { applyEntry, isSealed, type LedgerState, unsettledSegments } from '../ledger/ledger-state.ts'
import { parseSegmentName, segmentName, segmentPath } from '../segment/segment-files.ts'

/**
 * Rewinds a spool that has its log alone, and no sealed file, to where work has to continue: its ledger says that each
 * segment of which not all is committed is to be sealed again, and what became of each file that it was sealed into,
 * and of what was set aside. Segments of which all is committed stay sealed, wherever they are, and their logs go; one
 * that could not be sealed is set aside as it was. The spool takes no events.
 * @param temporaryDirectory where the files are now that were on their way
 */
export const rewindLedger = async (disk: Disk, temporaryDirectory: string): Promise<void> => {
  const state = await readLedger(disk)
  const segments = (await disk.list('log').catch(() => [])).flatMap(({ name }) => parseSegmentName(name) ?? [])
  const sealed = segments.filter(segment => isSealed(state, segment))
  const left = unsettledSegments(state)
  const unsealed = await setAside(disk, state, new Set(segments))
  const done = sealed.filter(segment => !left.has(segment))
  forgetUnbegun(state, new Set(segments))
  noteLost(state, new Set(segments))
  rewind(
    state,
    sealed.filter(segment => left.has(segment) && !unsealed.has(segment)),
    temporaryDirectory,
  )
  const { file } = await writeLedger(disk, state)
  await file.close()
  for (const segment of done) await disk.unlink(segmentPath(segment))
  if (done.length > 0) await disk.fsyncDir('log')
}

/** @returns the segments that could not be sealed: as where they were lost, they are in quarantine */
const setAside = async (
  disk: Disk,
  { damage }: LedgerState,
  segments: ReadonlySet<number>,
): Promise<ReadonlySet<number>> => {
  const unsealed = new Set(damage.values().flatMap(({ file }) => parseUnsealedName(file) ?? []))
  if (unsealed.size === 0) return unsealed
  await disk.mkdir('_quarantine')
  for (const segment of unsealed)
    if (segments.has(segment)) await disk.rename(segmentPath(segment), `_quarantine/${unsealedName(segment)}`)
  await disk.fsyncDir('_quarantine')
  return unsealed
}

/** A segment gets its file in HDFS with its first events, and nothing of one without a file was acknowledged. */
const forgetUnbegun = ({ opened, closed, ends, reopened }: LedgerState, segments: ReadonlySet<number>): void => {
  for (const segment of opened) {
    if (segments.has(segment) || reopened.has(segment) || (closed.get(segment) ?? 0) > 0) continue
    for (const known of [opened, closed, ends]) known.delete(segment)
  }
}

/**
 * Files sealed before the log was in HDFS were on the lost machine alone: they are named, and not waited for. A file
 * that was on its way may be there.
 */
const noteLost = (state: LedgerState, segments: ReadonlySet<number>): void => {
  const lost = new Map<number, number>()
  for (const { file, state: now } of Array.from(state.files.values())) {
    const isThere = now.at === 'committed' || now.at === 'placed' || now.at === 'moving'
    const isElsewhere = isThere || segments.has(file.segment)
    if (isElsewhere || !isSealed(state, file.segment)) continue
    lost.set(file.segment, (lost.get(file.segment) ?? 0) + file.events)
    state.files.delete(file.name)
  }
  const reason = 'It was sealed before its log was replicated, and its machine is lost'
  state.damage.add(
    Array.from(lost, ([segment, events]) => ({ file: segmentName(segment), bytes: 0, events, reason, lost: true })),
  )
}

const rewind = (state: LedgerState, again: readonly number[], temporaryDirectory: string): void => {
  applyEntry(state, { type: 'reopened', segments: again })
  const { reopened } = state
  for (const record of Array.from(state.files.values())) {
    const next = toRewound(record, reopened, temporaryDirectory)
    if (next !== record.state) state.files.set({ file: record.file, state: next })
  }
  for (const { file, lost, torn } of state.damage.values()) {
    // Damage of a segment is set aside again when the segment is sealed. Damage without a segment, such as the end of a
    // ledger, held no events and was on the lost machine alone: a person could do nothing about it. A write
    // torn by a crash held no events either.
    if (torn || (!lost && segmentInName(file) === 0)) state.damage.resolve(file)
  }
  state.drained = true
}

/** Where a file is, by what this disk and the temporary directory have. */
const toRewound = (
  { file, state }: FileRecord,
  again: ReadonlySet<number>,
  temporaryDirectory: string,
): FileRecord['state'] => {
  if (state.at === 'moving') return { ...state, temporary: `${temporaryDirectory}/${baseName(state.temporary)}` }
  // Refused once, for a reason that needs no person: it is made again, and retried.
  if (mayGoLater(state) && again.has(file.segment)) return { at: 'sealed' }
  return state
}
