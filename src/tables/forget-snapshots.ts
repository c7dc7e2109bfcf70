import type { LoadedTable } from './catalog.ts'
import { type Json, Members } from './members.ts'
import { type Snapshot, stepOn, type TableMetadata } from './metadata.ts'

export type ForgetPlan = {
  /** The metadata without them. */
  readonly json: Json
  readonly removed: readonly Snapshot[]
  readonly kept: readonly Snapshot[]
  /** Earlier metadata, and figures of readers, that go with them. */
  readonly metadataFiles: readonly string[]
  /** The lowest version of the metadata that stays; undefined where that is not known. */
  readonly firstVersion: number | undefined
}

/** Snapshots of each branch, and files of earlier metadata, that stay whatever their age. */
const keptAtLeast = 10

export type ForgetOptions = {
  /** ms since the epoch */
  readonly now: number
  /** Snapshots from then on stay; ms since the epoch. */
  readonly before: number
}

/** What a table is without its old snapshots (Iceberg specification, "Snapshot Retention Policy"). Tags keep theirs. */
export const withoutSnapshots = (
  { metadata, metadataUri, version }: LoadedTable,
  { now, before }: ForgetOptions,
): ForgetPlan => {
  const { snapshots, json } = metadata
  const removed = findRemovable(metadata).filter(({ timestampMs }) => timestampMs < before)
  const gone = new Set(removed.map(({ id }) => id))
  const next = new Members({ ...json, ...stepOn(metadata, { now, baseUri: metadataUri }) }, metadataUri)
  const isOfGone = (entry: Members): boolean => gone.has(entry.long('snapshot-id'))
  const without = (name: string): Json =>
    json[name] === undefined ? {} : { [name]: toJsonList(next.list(name).filter(entry => !isOfGone(entry))) }
  const log = next.list('metadata-log')
  const stays = (entry: Members, i: number): boolean =>
    i >= log.length - keptAtLeast || entry.integer('timestamp-ms') >= before
  // The log of a service is its own, with the files in it.
  const firstStaying = version === undefined ? 0 : log.findIndex(stays)
  const statistics = ['statistics', 'partition-statistics'].flatMap(name => next.list(name).filter(isOfGone))
  return {
    json: {
      ...next.json,
      ...without('snapshots'),
      ...without('statistics'),
      ...without('partition-statistics'),
      'snapshot-log': toJsonList(afterLast(next.list('snapshot-log'), isOfGone)),
      'metadata-log': toJsonList(log.slice(firstStaying)),
    },
    removed,
    kept: snapshots.filter(({ id }) => !gone.has(id)),
    metadataFiles: [
      ...log.slice(0, firstStaying).map(entry => entry.text('metadata-file')),
      ...statistics.map(entry => entry.text('statistics-path')),
    ],
    firstVersion:
      version !== undefined && (removed.length > 0 || firstStaying > 0)
        ? version + 1 - (log.length - firstStaying)
        : undefined,
  }
}

/** The snapshots that may go once they are old: those that neither tags and branches nor the latest changes need. */
export const findRemovable = ({ json, snapshots, current, location }: TableMetadata): readonly Snapshot[] => {
  const byId = new Map(snapshots.map(snapshot => [snapshot.id, snapshot]))
  const needed = new Set<bigint>()
  const need = (from: bigint, count: number): void => {
    let next = byId.get(from)
    for (let left = count; left > 0 && next !== undefined; left--) {
      needed.add(next.id)
      next = next.parentId === undefined ? undefined : byId.get(next.parentId)
    }
  }
  const refs = json['refs'] === undefined ? {} : new Members(json['refs'], location).json
  for (const [name, value] of Object.entries(refs)) {
    const ref = new Members(value, `${location}, ${name}`)
    need(ref.long('snapshot-id'), ref.text('type') === 'tag' ? 1 : keptAtLeast)
  }
  if (current) need(current.id, keptAtLeast)
  return snapshots.filter(({ id }) => !needed.has(id))
}

/** The history before a snapshot that is gone has gaps, and goes. */
const afterLast = (entries: readonly Members[], isGone: (entry: Members) => boolean): readonly Members[] =>
  entries.slice(entries.findLastIndex(isGone) + 1)

const toJsonList = (entries: readonly Members[]) => entries.map(({ json }) => ({ ...json }))
