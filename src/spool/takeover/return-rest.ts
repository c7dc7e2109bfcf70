/**
 * What a collector acknowledged beyond what another one has taken of its log: it took events while HDFS was away
 * (`collector.replicated.when-unavailable: local`). They stand in the spool that was set aside, and go to the new one, each
 * request once: under the key that it came with, or one of our own.
 */
import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import type { Logger } from '../../log/log.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { readLedger } from '../ledger/ledger.ts'
import { isSealed } from '../ledger/ledger-state.ts'
import { toOwnKey } from '../own-key.ts'
import { toLogDirectory } from '../replica/log-directory.ts'
import type { KeptBatch } from '../segment/record.ts'
import { parseSegmentName, segmentPath } from '../segment/segment-files.ts'
import { readSegment } from '../segment/segment-reader.ts'
import type { Spool } from '../spool.ts'
import { parseOwner } from './owners.ts'
import { fencedDirectory, readTurn } from './set-aside.ts'
import { listAt } from './take.ts'
import { readTaken, removeNote, type TakenSegments } from './taken-note.ts'

/** In the directory of a spool that was set aside: nothing of it has to come back any more. */
const returnedPath = 'returned'

export type ReturnRestOptions = {
  /** Of our own spool, and of a directory below it. */
  readonly disk: Pick<Disk, 'list' | 'removeDirectory'>
  readonly diskOf: (path: string) => Disk
  readonly fileSystem: FileSystem
  readonly outputDirectory: string
  readonly spool: Pick<Spool, 'append' | 'recall' | 'takeKeys'>
  readonly log: Logger
  /** Hears of events that are in the new spool. */
  readonly onReturned: (events: number) => void
}

/**
 * Brings it back, as far as those who took the logs have noted how much that was; then their notes go, and what was set
 * aside, unless a person has to look at it. The newest one comes first: what was brought back to it from those before it was
 * taken with its log, or comes with its own rest, and its keys tell that. To be called again where it fails.
 * @returns whether there is nothing more to bring back, and to remove
 */
export const returnRest = async (options: ReturnRestOptions): Promise<boolean> => {
  const { disk, diskOf, spool, log } = options
  let isOver = true
  for (const id of await listAside(disk, diskOf)) {
    const fenced = diskOf(`${fencedDirectory}/${id}`)
    const names = new Set((await fenced.list('.')).map(({ name }) => name))
    // Without its id it is what is left of a removal: a start sets all aside before anything else.
    if (names.has('id') && !names.has(returnedPath)) {
      const rest = await readRest(fenced)
      const hasNothing = rest.segments.length === 0 && rest.waiting.length === 0
      const taken = hasNothing ? new Map<number, number>() : await findTaken(options, id)
      // Not noted yet. Those before it wait, too.
      if (!taken) return false
      const events = await returnBeyond(fenced, id, taken, rest, options)
      await spool.takeKeys(fenced)
      await keepBare(fenced, id, rest, taken, log)
      await writeSynced(fenced, returnedPath, new TextEncoder().encode(`${events}\n`))
      await fenced.fsyncDir('.')
      if (events > 0) log.warn({ collectorId: id, events }, 'events that only this machine had are in its new spool')
    }
    if (!(await forgetNotes(options, id))) isOver = false
    else if (!(await isForPerson(fenced))) await disk.removeDirectory(`${fencedDirectory}/${id}`)
  }
  return isOver
}

/** Ids of what was set aside, the newest first. */
const listAside = async (
  disk: ReturnRestOptions['disk'],
  diskOf: ReturnRestOptions['diskOf'],
): Promise<readonly string[]> => {
  const ids = (await disk.list(fencedDirectory).catch(() => [])).map(({ name }) => name)
  const turns = await Promise.all(
    ids.map(async id => ({ id, turn: await readTurn(diskOf(`${fencedDirectory}/${id}`)) })),
  )
  return turns.toSorted((a, b) => b.turn - a.turn).map(({ id }) => id)
}

/** In the directory of a spool that was set aside: sealed files are in it whose events no taker had. */
const barePath = 'bare'

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
    'sealed files of a spool that was set aside are on this machine alone: its log in HDFS did not have their events',
  )
}

/** Whether files are in it that a person decides about: their bytes may be here alone. */
const isForPerson = async (fenced: Disk): Promise<boolean> => {
  if ((await fenced.list('.')).some(({ name }) => name === barePath)) return true
  for (const directory of ['_quarantine', '_taken'])
    if ((await fenced.list(directory).catch(() => [])).length > 0) return true
  return false
}

/** The directories of the logs that others have taken of a collector. */
const listTaken = async (
  { fileSystem, outputDirectory }: Pick<ReturnRestOptions, 'fileSystem' | 'outputDirectory'>,
  id: string,
): Promise<readonly string[]> =>
  (await listAt(fileSystem, toLogDirectory(outputDirectory))).flatMap(({ path }) => {
    const owner = parseOwner(baseName(path))
    return owner?.id === id && owner.keeper !== id ? [path] : []
  })

/**
 * What the notes say together: a log that was taken before it was whole, of which nothing was, may have been made anew under
 * the same id, and taken as well. Undefined where one is not written yet, or no other collector has the log.
 */
const findTaken = async (options: ReturnRestOptions, id: string): Promise<TakenSegments | undefined> => {
  const all = new Map<number, number>()
  const paths = await listTaken(options, id)
  for (const path of paths) {
    const taken = await readTaken(options.fileSystem, path)
    if (!taken) return undefined
    for (const [segment, length] of taken) all.set(segment, Math.max(length, all.get(segment) ?? 0))
  }
  return paths.length > 0 ? all : undefined
}

/** Removes the notes, once all that was taken is where it belongs. @returns whether none is left */
const forgetNotes = async (options: ReturnRestOptions, id: string): Promise<boolean> => {
  let isLeft = false
  for (const path of await listTaken(options, id)) if (!(await removeNote(options.fileSystem, path))) isLeft = true
  return !isLeft
}

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

const returnBeyond = async (
  disk: Disk,
  id: string,
  taken: TakenSegments,
  { segments, ends }: Rest,
  { spool, onReturned }: Pick<ReturnRestOptions, 'spool' | 'onReturned'>,
): Promise<number> => {
  let events = 0
  for (const segment of segments) {
    const path = segmentPath(segment)
    const bytes = (await disk.read(path)).subarray(0, ends.get(segment))
    for (const part of readSegment(bytes, path)) {
      // One that was cut there could not be read by the taker.
      if (part.kind !== 'record' || part.end <= (taken.get(segment) ?? 0)) continue
      const batch = part.batch()
      const idempotency = batch.idempotency ?? toOwnIdentity(`fenced:${id}:${segment}:${part.start}`, batch)
      if (await isKept(spool, idempotency.key)) continue
      const { keptAt, api, ...kept } = batch
      await spool.append({ ...kept, api: api ?? 'POST_Json_API', receivedAt: keptAt, idempotency })
      events += batch.events.length
      onReturned(batch.events.length)
    }
  }
  return events
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
