import { expect, test } from 'vitest'
import { toMetadata, withFields } from '../../../src/tables/metadata.ts'
import { nameMapping, toMappingText } from '../../../src/tables/name-mapping.ts'
import { newMetadata } from '../../../src/tables/new-table.ts'
import type { TableField } from '../../../src/tables/schema.ts'

const field = (id: number, name: string, type: TableField['type'] = 'int'): TableField => ({
  id,
  name,
  isRequired: false,
  type,
})

const tags = field(3, 'tags', { kind: 'list', id: 4, element: 'string', isRequired: false })
const user = field(5, 'user', { kind: 'struct', fields: [field(6, 'id')] })
const fields = [field(1, 'a'), field(2, 'b'), tags, user]

const before = [
  { 'field-id': 1, names: ['old_a', 'a', 'A'] },
  { 'field-id': 2, names: ['b'] },
  { 'field-id': 3, names: ['tags'], fields: [{ 'field-id': 4, names: ['element', 'item', 'array'] }] },
  { 'field-id': 5, names: ['user', 'usr'], fields: [{ 'field-id': 6, names: ['id', 'uid'] }] },
]

const namesAfter = (all: readonly TableField[], text = JSON.stringify(before)) => JSON.parse(toMappingText(all, text))

test('further names of fields, members and elements stay when a column is added; readers look up each', () => {
  const table = newMetadata({
    location: '/t',
    fields,
    lastColumnId: 6,
    dateField: undefined,
    properties: {},
    now: 1,
  })
  const properties = { [nameMapping]: JSON.stringify(before) }
  const next = withFields(
    toMetadata({ ...table, properties }, 'here'),
    { fields: [...fields, field(7, 'c')], lastColumnId: 7 },
    { now: 2, baseUri: '/t/metadata/v1.metadata.json' },
  )
  expect(JSON.parse(toMetadata({ ...next }, 'there').properties.get(nameMapping) ?? '')).toEqual([
    { 'field-id': 1, names: ['a', 'old_a', 'A'] },
    { 'field-id': 2, names: ['b'] },
    { 'field-id': 3, names: ['tags'], fields: [{ 'field-id': 4, names: ['element', 'item', 'array'] }] },
    { 'field-id': 5, names: ['user', 'usr'], fields: [{ 'field-id': 6, names: ['id', 'uid'] }] },
    { 'field-id': 7, names: ['c'] },
  ])
})

test('a name is that of one field: a column takes it from one that had it before', () => {
  expect(namesAfter([field(1, 'a'), field(7, 'old_a')])).toEqual([
    { 'field-id': 1, names: ['a', 'A'] },
    { 'field-id': 7, names: ['old_a'] },
  ])
})

test('names of a map stay with its key and its value, and each field has a name once', () => {
  const type = { kind: 'map', keyId: 8, key: 'string', valueId: 9, value: 'long', isRequired: false } as const
  const inner = [
    { 'field-id': 8, names: ['key', 'k'] },
    { 'field-id': 9, names: ['value', 'v'] },
  ]
  const text = JSON.stringify([
    { 'field-id': 7, names: ['counts', 'x', 'x'], fields: inner },
    { 'field-id': 1, names: ['a', 'x'] },
  ])
  expect(namesAfter([field(7, 'counts', type), field(1, 'a')], text)).toEqual([
    { 'field-id': 7, names: ['counts', 'x'], fields: inner },
    { 'field-id': 1, names: ['a'] },
  ])
})

test.each(['', 'x', '{}', '[1]', '[{"field-id":"x"}]', '[{"field-id":1,"names":7}]'])(
  'of a damaged one nothing is taken: %s',
  text => {
    expect(namesAfter([field(1, 'a')], text)).toEqual([{ 'field-id': 1, names: ['a'] }])
  },
)
