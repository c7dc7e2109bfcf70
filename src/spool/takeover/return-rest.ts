/**
 * What a collector acknowledged beyond what another one has taken of its log: it took events while HDFS was away
 * (`collector.replicated.when-unavailable: local`). They are in the spool that was set aside, and go to the new one,
 * each request once: under the key it arrived with, or one of our own.
 */
import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import { parentPath } from '../../filesystem/path.ts'
import type { Logger } from '../../log/log.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { toTemporaryRoot } from '../files/target-path.ts'
import { readLedger } from '../ledger/ledger.ts'
import { isSealed } from '../ledger/ledger-state.ts'
import { toOwnKey } from '../own-key.ts'
import { madePath, readCopyNote } from '../replica/copy-note.ts'
import type { SpoolForPerson } from '../replica/replica-status.ts'
import type { KeptBatch } from '../segment/record.ts'
import { parseSegmentName, segmentPath } from '../segment/segment-files.ts'
import { readSegment } from '../segment/segment-reader.ts'
import type { SegmentRecord } from '../segment/segment-record.ts'
import type { Spool } from '../spool.ts'
import { barePath, isForPerson, listAside, mayHaveRest, noteProgress, readProgress, returnedPath } from './aside.ts'
import { findNoted, type NotedPlaces } from './noted-place.ts'
import { RestNeedsPerson, withBehind } from './rest-needs-person.ts'
import { fencedDirectory } from './set-aside.ts'
import type { TakenSegments } from './taken-note.ts'
import { createNotes } from './taken-notes.ts'

export type ReturnRestOptions = {
  /** Of our own spool, and of a directory below it. */
  readonly disk: Pick<Disk, 'list' | 'read' | 'removeDirectory'>
  readonly diskOf: (path: string) => Disk
  /** Where the notes of those who took the logs are: what was set aside says itself in which directory. */
  readonly places: NotedPlaces
  readonly spool: Pick<Spool, 'takeBack' | 'recall' | 'takeKeys'>
  readonly log: Logger
  /** Ends it between some batches and the next ones. */
  readonly signal: AbortSignal
  /** Hears of events that are in the new spool. */
  readonly onReturned: (events: number) => void
}

/**
 * Brings it back, as far as those who took the logs have noted how much that was; then their notes go, and what was set
 * aside, unless a person has to look at it. The newest one comes first: what was brought back to it from those before it was
 * taken with its log, or comes with its own rest, and its keys tell that. So older ones wait for one that a person has to see to,
 * unless nothing of them has to come back. To be called again where it fails.
 * @returns whether there is nothing more to bring back, and to remove
 * @throws RestNeedsPerson, FileSystemError
 */
export const returnRest = async (options: ReturnRestOptions): Promise<boolean> => {
  const { disk, diskOf } = options
  const held: RestNeedsPerson[] = []
  let [isOver, isHeld, behind] = [true, false, 0]
  for (const id of await listAside(disk)) {
    const fenced = diskOf(`${fencedDirectory}/${id}`)
    const hasRest = mayHaveRest(await fenced.list('.'))
    if (hasRest && isHeld) {
      behind++
      continue
    }
    try {
      const logs = await findLogs(fenced, id, options.places)
      // Those before it wait, too.
      if (hasRest && !(await comeBack(fenced, id, logs, options))) return false
      if (!(await clear(fenced, id, logs, options))) isOver = false
    } catch (error) {
      if (!(error instanceof RestNeedsPerson)) throw error
      held.push(error)
      isHeld ||= hasRest
    }
  }
  const [first] = held
  if (first) throw behind > 0 ? new RestNeedsPerson(withBehind(first.spool, behind)) : first
  return isOver
}

/** @returns whether all that has to come back of a spool has: not before those who took its log have noted how much they found */
const comeBack = async (
  fenced: Disk,
  id: string,
  logs: string | undefined,
  options: ReturnRestOptions,
): Promise<boolean> => {
  const { spool, log, places } = options
  const rest = await readRest(fenced)
  const hasNothing = rest.segments.length === 0 && rest.waiting.length === 0
  const taken = hasNothing ? new Map<number, number>() : await createNotes(places.fileSystem, logs, id).read()
  if (taken === 'gone') throw new RestNeedsPerson(toGone(id, fenced.directory))
  if (taken === 'not yet') return false
  const events = await returnBeyond(fenced, id, taken, rest, options)
  await spool.takeKeys(fenced)
  await keepBare(fenced, id, rest, taken, log)
  await writeSynced(fenced, returnedPath, new TextEncoder().encode(`${events}\n`))
  await fenced.fsyncDir('.')
  if (events > 0)
    log.warn({ collectorId: id, events }, 'events that existed only on this machine were copied to its new spool')
  return true
}

/** Removes what is left of a spool, here and in HDFS. @returns whether its takers are through with it */
const clear = async (
  fenced: Disk,
  id: string,
  logs: string | undefined,
  { disk, places: { fileSystem } }: ReturnRestOptions,
): Promise<boolean> => {
  if (!(await createNotes(fileSystem, logs, id).forget())) return false
  // An upload that was under way when it was fenced may have made it once more behind its taker; the id is not used any more.
  if (logs !== undefined) await fileSystem.delete(`${toTemporaryRoot(parentPath(logs))}/${id}`, { recursive: true })
  if (!(await isForPerson(fenced))) await disk.removeDirectory(`${fencedDirectory}/${id}`)
  return true
}

/** Files that were sealed before the log was in HDFS, and files of a log of which nothing was taken: they are here alone. */
const keepBare = async (
  fenced: Disk,
  id: string,
  { waiting }: Rest,
  taken: TakenSegments,
  log: Logger,
): Promise<void> => {
  const bare = waiting.filter(({ segment }) => !taken.has(segment))
  if (bare.length === 0) return
  await writeSynced(fenced, barePath, new TextEncoder().encode(`${bare.map(({ name }) => name).join('\n')}\n`))
  const events = bare.reduce((sum, file) => sum + file.events, 0)
  const directory = `${fenced.directory}/sealed`
  log.error(
    { collectorId: id, files: bare.length, events, directory },
    'sealed files of a spool that was set aside exist only on this machine: its replicated log does not have their events',
  )
}

/** Where logs were when it was set aside; undefined of one that a person has adopted. */
const findLogs = async (fenced: Disk, id: string, places: NotedPlaces): Promise<string | undefined> => {
  const note = await readCopyNote(fenced)
  if (!note) return undefined
  const { path, place } = await findNoted(fenced, note, places)
  if (path !== undefined) return parentPath(path)
  throw new RestNeedsPerson({
    id,
    directory: fenced.directory,
    problem: `What was taken over of ${id} is noted in ${place}, and no setting names that cluster`,
    advice: 'Name it in clusters, and restart.',
  })
}

/** It is here alone, as far as anybody can tell. */
const toGone = (id: string, directory: string): SpoolForPerson => ({
  id,
  directory,
  problem: `No collector has the log of ${id} any more`,
  advice: `If it was deleted, delete ${directory}/${madePath} and run \`sluice spool adopt ${directory}\`. If it was taken over so long ago that its events are in the file system and the note of that is gone, delete ${directory}.`,
})

/** Segments that are not sealed, and where they end; and sealed files that are not in the file system. */
type Rest = {
  readonly segments: readonly number[]
  readonly ends: ReadonlyMap<number, number>
  readonly waiting: readonly BucketFile[]
}

const readRest = async (disk: Disk): Promise<Rest> => {
  const state = await readLedger(disk)
  const segments = (await disk.list('log').catch(() => [])).flatMap(({ name }) => parseSegmentName(name) ?? [])
  const waiting = Array.from(state.files.waiting(), ({ file }) => file)
  return { segments: segments.filter(segment => !isSealed(state, segment)), ends: state.ends, waiting }
}

/** Batches that come back at a time: they share groups of the log. */
const atOnce = 64

/** @returns events that have come back, by earlier attempts as well */
const returnBeyond = async (
  disk: Disk,
  id: string,
  taken: TakenSegments,
  { segments, ends }: Rest,
  { spool, signal, onReturned }: Pick<ReturnRestOptions, 'spool' | 'signal' | 'onReturned'>,
): Promise<number> => {
  let progress = await readProgress(disk)
  const comeBack = async (segment: number, lot: readonly SegmentRecord[]): Promise<void> => {
    const [last] = lot.slice(-1)
    if (!last) return
    signal.throwIfAborted()
    // All are waited for: none may come back beside the next attempt.
    const found = await Promise.allSettled(lot.map(record => returnOne(spool, `fenced:${id}:${segment}`, record)))
    const returned = found.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
    const events = returned.reduce((sum, count) => sum + count, 0)
    onReturned(events)
    for (const one of found) if (one.status === 'rejected') throw one.reason
    // Keys alone do not tell for long: only the latest are remembered.
    progress = { segment, end: last.end, events: progress.events + events }
    await noteProgress(disk, progress)
  }
  for (const segment of segments) {
    if (segment < progress.segment) continue
    const from = Math.max(taken.get(segment) ?? 0, segment === progress.segment ? progress.end : 0)
    const path = segmentPath(segment)
    const bytes = (await disk.read(path)).subarray(0, ends.get(segment))
    let lot: SegmentRecord[] = []
    for (const part of readSegment(bytes, path)) {
      // One that was cut there could not be read by the taker.
      if (part.kind !== 'record' || part.end <= from) continue
      lot.push(part)
      if (lot.length < atOnce) continue
      await comeBack(segment, lot)
      lot = []
    }
    await comeBack(segment, lot)
  }
  return progress.events
}

/** @returns events that were not there yet */
const returnOne = async (spool: ReturnRestOptions['spool'], place: string, record: SegmentRecord): Promise<number> => {
  const batch = record.batch()
  const idempotency = batch.idempotency ?? toOwnIdentity(`${place}:${record.start}`, batch)
  if (await isKept(spool, idempotency.key)) return 0
  const { keptAt, api, ...kept } = batch
  await spool.takeBack({ ...kept, api: api ?? 'POST_Json_API', receivedAt: keptAt, idempotency })
  return batch.events.length
}

/** Whether it was brought here before, or the sender has repeated it. */
const isKept = async (spool: ReturnRestOptions['spool'], key: string): Promise<boolean> => {
  const known = spool.recall(key)
  return (
    known !== undefined &&
    (await known.outcome.then(
      () => true,
      () => false,
    ))
  )
}

const toOwnIdentity = (text: string, { events }: KeptBatch): NonNullable<KeptBatch['idempotency']> => {
  const key = toOwnKey(text)
  return { key, fingerprint: key, outcome: { accepted: events.length, rejected: 0, errors: [] } }
}
