/**
 * A change of metadata as a REST catalog takes it (`CommitTableRequest`): what must still hold of the table, and what becomes of
 * it. Members that the catalog keeps by itself are left to it.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Value } from '../../formats/number.ts'
import { type Json, Members, toJsonLong } from '../members.ts'
import { formatVersion, type TableMetadata } from '../metadata.ts'

export type TableChange = {
  readonly requirements: readonly Json[]
  readonly updates: readonly Json[]
  /** Ids of new snapshots. */
  readonly added: readonly bigint[]
}

/** Told by updates of their own, below. */
const told = new Set([
  'schemas',
  'current-schema-id',
  'last-column-id',
  'snapshots',
  'refs',
  'current-snapshot-id',
  'properties',
  'statistics',
  'partition-statistics',
])

/** These follow from the updates. */
const kept = new Set(['last-updated-ms', 'last-sequence-number', 'metadata-log', 'snapshot-log'])

/** @throws TypeError the change cannot be expressed as updates */
export const toTableChange = (base: TableMetadata, next: Json): TableChange => {
  const [before, after] = [new Members(base.json, base.location), new Members(next, base.location)]
  for (const name of new Set([...Object.keys(before.json), ...Object.keys(next)]))
    if (!told.has(name) && !kept.has(name) && !isDeepStrictEqual(before.json[name], next[name]))
      throw new TypeError(`A change of "${name}" cannot be told to a catalog`)
  const schemas = changeSchema(before, after)
  const snapshots = changeSnapshots(before, after)
  const refs = changeRefs(base, before, after, snapshots.removed.length > 0)
  return {
    requirements: [
      { type: 'assert-table-uuid', uuid: base.uuid },
      ...schemas.requirements.map(copy),
      ...refs.requirements.map(copy),
    ],
    updates: [
      ...schemas.updates,
      ...changeProperties(before, after),
      ...snapshots.added.map(({ json }): Json => ({ action: 'add-snapshot', snapshot: copy(json) })),
      ...refs.updates,
      ...removeStatistics(before, after, 'statistics', 'remove-statistics'),
      ...removeStatistics(before, after, 'partition-statistics', 'remove-partition-statistics'),
      ...(snapshots.removed.length > 0
        ? [{ action: 'remove-snapshots', 'snapshot-ids': snapshots.removed.map(toJsonLong) }]
        : []),
    ],
    added: snapshots.added.map(snapshot => snapshot.long('snapshot-id')),
  }
}

type Part = Pick<TableChange, 'requirements' | 'updates'>

const changeSchema = (before: Members, after: Members): Part => {
  const ids = new Set(before.list('schemas').map(schema => schema.optionalInteger('schema-id')))
  const added = after.list('schemas').filter(schema => !ids.has(schema.optionalInteger('schema-id')))
  if (added.length === 0) return { requirements: [], updates: [] }
  return {
    // Ids of columns are for good: those of two writers must not be the same.
    requirements: [
      { type: 'assert-current-schema-id', 'current-schema-id': before.integer('current-schema-id') },
      { type: 'assert-last-assigned-field-id', 'last-assigned-field-id': before.integer('last-column-id') },
    ],
    updates: [
      ...added.map(
        ({ json }): Json => ({
          action: 'add-schema',
          schema: copy(json),
          'last-column-id': after.integer('last-column-id'),
        }),
      ),
      lastAdded('set-current-schema', 'schema-id'),
    ],
  }
}

/** That which was added last. */
const lastAdded = (action: string, name: string): Json => ({ action, [name]: -1 })

const changeProperties = (before: Members, after: Members): readonly Json[] => {
  const [old, now] = [before.texts('properties'), after.texts('properties')]
  const set = [...now].filter(([name, value]) => old.get(name) !== value)
  const removed = [...old.keys()].filter(name => !now.has(name))
  return [
    ...(set.length > 0 ? [{ action: 'set-properties', updates: Object.fromEntries(set) }] : []),
    ...(removed.length > 0 ? [{ action: 'remove-properties', removals: removed }] : []),
  ]
}

const changeSnapshots = (before: Members, after: Members) => {
  const toId = (snapshot: Members): bigint => snapshot.long('snapshot-id')
  const [old, now] = [before.list('snapshots'), after.list('snapshots')]
  const [oldIds, ids] = [new Set(old.map(toId)), new Set(now.map(toId))]
  return {
    added: now.filter(snapshot => !oldIds.has(toId(snapshot))),
    removed: old.map(toId).filter(id => !ids.has(id)),
  }
}

/** @param isShrinking snapshots go: no branch or tag may have moved to one of them */
const changeRefs = (base: TableMetadata, before: Members, after: Members, isShrinking: boolean): Part => {
  const [old, now] = [refsOf(before), refsOf(after)]
  const isOther = (name: string): boolean => !isDeepStrictEqual(old[name], now[name])
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  const idOf = (name: string): Value => {
    // Older writers have no branches.
    if (name === 'main') return base.current ? toJsonLong(base.current.id) : null
    return old[name] === undefined ? null : (new Members(old[name], before.where).json['snapshot-id'] ?? null)
  }
  return {
    requirements: names
      .filter(name => isShrinking || isOther(name))
      .map(ref => ({ type: 'assert-ref-snapshot-id', ref, 'snapshot-id': idOf(ref) })),
    updates: names.filter(isOther).map((name): Json => {
      const ref = now[name]
      if (ref === undefined) return { action: 'remove-snapshot-ref', 'ref-name': name }
      return { action: 'set-snapshot-ref', 'ref-name': name, ...new Members(ref, after.where).json }
    }),
  }
}

const refsOf = ({ json, where }: Members): Json =>
  json['refs'] === undefined || json['refs'] === null ? {} : new Members(json['refs'], where).json

const removeStatistics = (before: Members, after: Members, name: string, action: string): readonly Json[] => {
  const ids = new Set(after.list(name).map(one => one.long('snapshot-id')))
  return before
    .list(name)
    .map(one => one.long('snapshot-id'))
    .filter(id => !ids.has(id))
    .map(id => ({ action, 'snapshot-id': toJsonLong(id) }))
}

/** Makes a table of what the catalog has prepared (`stage-create`): all that it is, as of one that never was. */
export const toNewTable = (metadata: Json, uuid: string): TableChange => {
  return {
    requirements: [{ type: 'assert-create' }],
    updates: [
      { action: 'assign-uuid', uuid },
      { action: 'upgrade-format-version', 'format-version': formatVersion },
      { action: 'add-schema', schema: onlyOf(metadata, 'schemas'), 'last-column-id': metadata['last-column-id'] ?? 0 },
      lastAdded('set-current-schema', 'schema-id'),
      { action: 'add-spec', spec: onlyOf(metadata, 'partition-specs') },
      lastAdded('set-default-spec', 'spec-id'),
      { action: 'add-sort-order', 'sort-order': onlyOf(metadata, 'sort-orders') },
      lastAdded('set-default-sort-order', 'sort-order-id'),
      { action: 'set-location', location: metadata['location'] ?? '' },
      { action: 'set-properties', updates: metadata['properties'] ?? {} },
    ],
    added: [],
  }
}

/** The first of what new metadata has one of. */
export const onlyOf = (metadata: Json, name: string): Json => {
  const value = metadata[name]
  return copy(new Members(Array.isArray(value) ? value[0] : undefined, name).json)
}

const copy = (json: Json): { [name: string]: Value } => ({ ...json })
