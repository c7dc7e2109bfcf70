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
import { readLedger } from '../ledger/ledger.ts'
import { isSealed } from '../ledger/ledger-state.ts'
import { toOwnKey } from '../own-key.ts'
import { toLogDirectory } from '../replica/log-directory.ts'
import type { KeptBatch } from '../segment/record.ts'
import { parseSegmentName, segmentPath } from '../segment/segment-files.ts'
import { readSegment } from '../segment/segment-reader.ts'
import type { Spool } from '../spool.ts'
import { parseOwner } from './owners.ts'
import { fencedDirectory } from './set-aside.ts'
import { listAt } from './take.ts'
import { readTaken, type TakenSegments } from './taken-note.ts'

/** In the directory of a spool that was set aside: nothing of it has to come back any more. */
const returnedPath = 'returned'

export type ReturnRestOptions = {
  /** Of our own spool, and of a directory below it. */
  readonly disk: Pick<Disk, 'list'>
  readonly diskOf: (path: string) => Disk
  readonly fileSystem: FileSystem
  readonly outputDirectory: string
  readonly spool: Pick<Spool, 'append' | 'recall'>
  readonly log: Logger
}

/**
 * Brings it back, as far as those who took the logs have noted how much that was. To be called again where it fails.
 * @returns whether there is nothing more to bring back
 */
export const returnRest = async (options: ReturnRestOptions): Promise<boolean> => {
  const { disk, diskOf, fileSystem, outputDirectory, spool, log } = options
  let isOver = true
  for (const { name: id } of await disk.list(fencedDirectory).catch(() => [])) {
    const fenced = diskOf(`${fencedDirectory}/${id}`)
    const names = new Set((await fenced.list('.')).map(({ name }) => name))
    if (!names.has('id') || names.has(returnedPath)) continue
    const taken = await findTaken(fileSystem, outputDirectory, id)
    if (!taken) {
      isOver = false
      continue
    }
    const events = await returnBeyond(fenced, id, taken, spool)
    await writeSynced(fenced, returnedPath, new TextEncoder().encode(`${events}\n`))
    await fenced.fsyncDir('.')
    if (events > 0) log.warn({ collectorId: id, events }, 'events that only this machine had are in its new spool')
  }
  return isOver
}

/** What the note says; undefined where it is not written yet. */
const findTaken = async (
  fileSystem: FileSystem,
  outputDirectory: string,
  id: string,
): Promise<TakenSegments | undefined> => {
  for (const { path } of await listAt(fileSystem, toLogDirectory(outputDirectory))) {
    const owner = parseOwner(baseName(path))
    if (owner?.id !== id || owner.keeper === id) continue
    const taken = await readTaken(fileSystem, path)
    if (taken) return taken
  }
  return undefined
}

const returnBeyond = async (
  disk: Disk,
  id: string,
  taken: TakenSegments,
  spool: ReturnRestOptions['spool'],
): Promise<number> => {
  const state = await readLedger(disk)
  let events = 0
  for (const { name } of await disk.list('log').catch(() => [])) {
    const segment = parseSegmentName(name)
    // What is sealed was in HDFS before.
    if (segment === undefined || isSealed(state, segment)) continue
    const path = segmentPath(segment)
    const bytes = (await disk.read(path)).subarray(0, state.ends.get(segment))
    for (const part of readSegment(bytes, path)) {
      // One that was cut there could not be read by the taker.
      if (part.kind !== 'record' || part.end <= (taken.get(segment) ?? 0)) continue
      const batch = part.batch()
      const idempotency = batch.idempotency ?? toOwnIdentity(`fenced:${id}:${segment}:${part.start}`, batch)
      // It was brought here before, or the sender has repeated it.
      if (spool.recall(idempotency.key)) continue
      const { keptAt, api, ...kept } = batch
      await spool.append({ ...kept, api: api ?? 'POST_Json_API', receivedAt: keptAt, idempotency })
      events += batch.events.length
    }
  }
  return events
}

const toOwnIdentity = (text: string, { events }: KeptBatch): NonNullable<KeptBatch['idempotency']> => {
  const key = toOwnKey(text)
  return { key, fingerprint: key, outcome: { accepted: events.length, rejected: 0, errors: [] } }
}
