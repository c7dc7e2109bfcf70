import type { LoadedTable } from '../catalog.ts'
import { type Json, Members } from '../members.ts'
import { type Snapshot, stepOn, type TableMetadata } from '../metadata.ts'
import { toDates } from '../snapshot-dates.ts'

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

/** No age is that low. */
const none = Number.NEGATIVE_INFINITY

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
  const dates = toDates(snapshots, now)
  const removed = findRemovable(metadata, dates, now).filter(({ id }) => (dates.get(id) ?? now) < before)
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
  const statistics = ['statistics', 'partition-statistics'].flatMap(name => next.list(name))
  const toPath = (entry: Members): string => entry.text('statistics-path')
  // Snapshots may share one.
  const needed = new Set(statistics.filter(entry => !isOfGone(entry)).map(toPath))
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
      ...statistics
        .filter(isOfGone)
        .map(toPath)
        .filter(path => !needed.has(path)),
    ],
    firstVersion:
      version !== undefined && (removed.length > 0 || firstStaying > 0)
        ? version + 1 - (log.length - firstStaying)
        : undefined,
  }
}

/** Whether files of a table may be deleted with its snapshots: others may refer to those of one where this is off. */
export const mayDeleteFiles = ({ properties }: Pick<TableMetadata, 'properties'>): boolean =>
  properties.get('gc.enabled') !== 'false'

/** When the oldest snapshot was made that may go; undefined: none may. @param now ms since the epoch, as what is returned */
export const findOldest = (table: TableMetadata, now: number): number | undefined => {
  const dates = toDates(table.snapshots, now)
  const removable = findRemovable(table, dates, now).map(({ id }) => dates.get(id) ?? now)
  return removable.length > 0 ? removable.reduce((a, b) => Math.min(a, b)) : undefined
}

/**
 * The snapshots that may go once they are old: those that neither tags and branches nor the latest changes need, nor what the
 * table itself says that it keeps.
 * @param dates of all snapshots, and now: ms since the epoch
 */
const findRemovable = (
  { json, snapshots, current, location, properties }: TableMetadata,
  dates: ReadonlyMap<bigint, number>,
  now: number,
): readonly Snapshot[] => {
  const byId = new Map(snapshots.map(snapshot => [snapshot.id, snapshot]))
  const needed = new Set<bigint>()
  const need = (from: bigint, count: number, ageMs: number): void => {
    let next = byId.get(from)
    for (let left = count; next !== undefined && (left > 0 || now - (dates.get(next.id) ?? now) <= ageMs); left--) {
      needed.add(next.id)
      next = next.parentId === undefined ? undefined : byId.get(next.parentId)
    }
  }
  const toNumber = (name: string): number => Number(properties.get(name) ?? Number.NaN)
  const ofTable = {
    count: toNumber('history.expire.min-snapshots-to-keep') || 0,
    ageMs: toNumber('history.expire.max-snapshot-age-ms') || none,
  }
  const refs = json['refs'] === undefined ? {} : new Members(json['refs'], location).json
  for (const [name, value] of Object.entries(refs)) {
    const ref = new Members(value, `${location}, ${name}`)
    const id = ref.long('snapshot-id')
    const count = ref.optionalInteger('min-snapshots-to-keep') ?? ofTable.count
    const age = ref.optionalLong('max-snapshot-age-ms')
    if (ref.text('type') === 'tag') need(id, 1, none)
    else need(id, Math.max(keptAtLeast, count), age === undefined ? ofTable.ageMs : Number(age))
  }
  if (current && refs['main'] === undefined) need(current.id, Math.max(keptAtLeast, ofTable.count), ofTable.ageMs)
  return snapshots.filter(({ id }) => !needed.has(id))
}

/** The history before a snapshot that is gone has gaps, and goes. */
const afterLast = (entries: readonly Members[], isGone: (entry: Members) => boolean): readonly Members[] =>
  entries.slice(entries.findLastIndex(isGone) + 1)

const toJsonList = (entries: readonly Members[]) => entries.map(({ json }) => ({ ...json }))
