import { expect, test } from 'vitest'
import type { Json } from '../../../../src/tables/members.ts'
import { toMetadata } from '../../../../src/tables/metadata.ts'
import { newMetadata } from '../../../../src/tables/new-table.ts'
import { toTableChange } from '../../../../src/tables/rest/table-updates.ts'
import { dateField, place } from '../a-table.ts'

const empty = newMetadata({
  location: place.location,
  fields: [dateField],
  lastColumnId: 1,
  dateField,
  properties: { a: '1', b: '2' },
  now: 0,
})
const snapshot = (id: number | bigint): Json => ({ 'snapshot-id': id, 'timestamp-ms': 1, 'manifest-list': `l${id}` })
const statistics = [{ 'snapshot-id': 1, 'statistics-path': 's' }]
const base: Json = {
  ...empty,
  snapshots: [{ ...snapshot(1) }, { ...snapshot(2n ** 62n) }],
  'current-snapshot-id': 2n ** 62n,
  refs: { main: { 'snapshot-id': 2n ** 62n, type: 'branch' }, tag: { 'snapshot-id': 1, type: 'tag' } },
  statistics,
}
const change = (from: Json, members: Json) => toTableChange(toMetadata({ ...from }, 'x'), { ...from, ...members })
const isTable = { type: 'assert-table-uuid', uuid: empty['table-uuid'] }

test('what the catalog keeps by itself is no change', () => {
  const next = { 'last-updated-ms': 9, 'metadata-log': [{ a: 1 }], 'snapshot-log': [], 'last-sequence-number': 3 }
  expect(change(base, next)).toEqual({ requirements: [isTable], updates: [], added: [] })
})

test('a schema is added on top of the one and of the ids that there were', () => {
  const schemas = [...(empty['schemas'] as Json[]), { 'schema-id': 1, type: 'struct', fields: [] }].map(one => ({
    ...one,
  }))
  const next = { schemas, 'current-schema-id': 1, 'last-column-id': 7, properties: { a: '1', c: '3' } }
  expect(change({ ...empty, properties: { a: '1', b: '2' } }, next)).toEqual({
    requirements: [
      isTable,
      { type: 'assert-current-schema-id', 'current-schema-id': 0 },
      { type: 'assert-last-assigned-field-id', 'last-assigned-field-id': 1 },
    ],
    updates: [
      { action: 'add-schema', schema: { 'schema-id': 1, type: 'struct', fields: [] }, 'last-column-id': 7 },
      { action: 'set-current-schema', 'schema-id': -1 },
      { action: 'set-properties', updates: { c: '3' } },
      { action: 'remove-properties', removals: ['b'] },
    ],
    added: [],
  })
})

test('the first snapshot is that of a branch that there is not', () => {
  const refs = { main: { 'snapshot-id': 5, type: 'branch' } }
  expect(change(empty, { snapshots: [{ ...snapshot(5) }], refs, 'current-snapshot-id': 5 })).toEqual({
    requirements: [isTable, { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null }],
    updates: [
      { action: 'add-snapshot', snapshot: snapshot(5) },
      { action: 'set-snapshot-ref', 'ref-name': 'main', 'snapshot-id': 5, type: 'branch' },
    ],
    added: [5n],
  })
})

test('snapshots go, with their figures, where every branch and tag is where it was', () => {
  const [, last] = base['snapshots'] as Json[]
  expect(change(base, { snapshots: [{ ...last }], statistics: [] })).toEqual({
    requirements: [
      isTable,
      { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': 2n ** 62n },
      { type: 'assert-ref-snapshot-id', ref: 'tag', 'snapshot-id': 1 },
    ],
    updates: [
      { action: 'remove-statistics', 'snapshot-id': 1 },
      { action: 'remove-snapshots', 'snapshot-ids': [1] },
    ],
    added: [],
  })
})

test.each(['location', 'partition-specs', 'format-version', 'of-tomorrow'])(
  'a change of "%s", which nothing here makes, is not left out in silence',
  name => {
    expect(() => change(base, { [name]: 'another' })).toThrow(`A change of "${name}" cannot be told to a catalog`)
  },
)
