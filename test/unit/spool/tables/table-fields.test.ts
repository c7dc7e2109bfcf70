import { expect, test } from 'vitest'
import { type Kind, type StructKind, scalarKinds } from '../../../../src/formats/parquet/kind.ts'
import { toFixedIds } from '../../../../src/spool/tables/promotions.ts'
import { addColumns, toKnownMembers, toPromotable } from '../../../../src/spool/tables/table-fields.ts'
import type { TableField } from '../../../../src/tables/schema.ts'

const struct = (...members: readonly (readonly [string, Kind])[]): StructKind => ({ struct: new Map(members) })

/** Ids from one on. */
const from = (first: number) => {
  let id = first - 1
  return () => ++id
}

const field = (id: number, name: string, type: TableField['type'], doc?: string): TableField => ({
  id,
  name,
  isRequired: false,
  type,
  ...(doc === undefined ? {} : { doc }),
})

const all = struct(
  ...scalarKinds.map(kind => [`a ${kind}`, kind] as const),
  ...scalarKinds.map(kind => [`a list of ${kind}`, { list: kind }] as const),
  ['inner', struct(['x', 'digits'], ['deep', struct(['y', { list: struct(['z', 'json']) }])])],
  ['_extra', 'json'],
)

test('what a collector makes of a table is what every other one finds there', () => {
  const fields = addColumns([], all, from(1)) ?? []
  const { columns, ids, others } = toKnownMembers(fields)
  expect(columns).toEqual(all)
  expect(others).toEqual([])
  expect(ids.get('a boolean')).toEqual({ id: 1 })
  expect(addColumns(fields, all, from(1_000))).toBeUndefined()
})

test('every field, element and member has an id of its own', () => {
  const found: number[] = []
  const collect = (type: TableField['type']): void => {
    if (typeof type === 'string') return
    if (type.kind === 'struct') for (const one of type.fields) collectField(one)
    if (type.kind === 'list') {
      found.push(type.id)
      collect(type.element)
    }
  }
  const collectField = ({ id, type }: TableField): void => {
    found.push(id)
    collect(type)
  }
  for (const one of addColumns([], all, from(1)) ?? []) collectField(one)
  expect(found.toSorted((a, b) => a - b)).toEqual(found.map((_, i) => i + 1))
})

test('columns and members are added behind those that are there, which stay what they are', () => {
  const table = [field(1, 'a', 'long'), field(2, 'b', { kind: 'struct', fields: [field(3, 'c', 'string')] })]
  const wanted = struct(['a', 'text'], ['b', struct(['c', 'double'], ['d', 'boolean'])], ['e', { list: 'integer' }])
  expect(addColumns(table, wanted, from(10))).toEqual([
    field(1, 'a', 'long'),
    field(2, 'b', { kind: 'struct', fields: [field(3, 'c', 'string'), field(10, 'd', 'boolean')] }),
    field(11, 'e', { kind: 'list', id: 12, element: 'long', isRequired: false }),
  ])
})

test('a name that differs in case only gets no column: Spark does not tell them apart', () => {
  expect(addColumns([field(1, 'Price', 'double')], struct(['price', 'double']), from(2))).toBeUndefined()
})

test('columns of types that no event has are none for files of ours, and nothing is added to them', () => {
  const map = { kind: 'map', keyId: 5, key: 'string', valueId: 6, value: 'long', isRequired: false } as const
  const table = [
    field(1, 'a', 'int'),
    field(2, 'b', 'decimal(10,2)'),
    field(3, 'c', { kind: 'struct', fields: [field(4, 'm', map)] }),
    field(7, 'd', 'long'),
  ]
  const { columns, others } = toKnownMembers(table)
  expect([columns, others]).toEqual([struct(['d', 'integer']), ['a', 'b', 'c']])
  expect(addColumns(table, struct(['a', 'text'], ['c', struct(['n', 'text'])]), from(8))).toBeUndefined()
})

test('a table gets no more columns than one collector alone would give it; those that each has it gets all the same', () => {
  const some = (first: number, count: number) =>
    Array.from({ length: count }, (_, i): [string, Kind] => [`c${first + i}`, 'text'])
  const next = from(1)
  const one = addColumns([], struct(...some(0, 490), ['_extra', 'json']), next) ?? []
  const wanted = struct(['eventDate', 'timestamp'], ['wide', struct(...some(0, 9))], ...some(1_000, 300), [
    'lists',
    { list: struct(...some(0, 2)) },
  ])
  const two = addColumns(one, wanted, next) ?? []
  expect(two).toHaveLength(491 + 9)
  expect(two.slice(491).map(({ name }) => name)).toEqual(['eventDate', ...some(1_000, 8).map(([name]) => name)])
  expect(addColumns(two, wanted, next)).toBeUndefined()
  const [eventDate] = two.slice(491)
  expect(addColumns([...two.slice(0, 491), ...two.slice(492)], wanted, next)?.at(-1)).toEqual({
    ...eventDate,
    id: next() - 1,
  })
})

test('members of a struct, and of a struct in a list, count as columns', () => {
  const members = (first: number, count: number) =>
    struct(...Array.from({ length: count }, (_, i): [string, Kind] => [`m${first + i}`, 'text']))
  const many = Array.from({ length: 49 }, (_, i): [string, Kind] => [`s${i}`, members(0, 10)])
  const table = addColumns([], struct(...many, ['list', { list: members(0, 1) }]), from(1)) ?? []
  const wider = struct(['s0', members(5, 12)], ['list', { list: members(0, 10) }])
  const { columns } = toKnownMembers(addColumns(table, wider, from(10_000)) ?? [])
  expect(columns.struct.get('s0')).toEqual(members(0, 17))
  expect(columns.struct.get('list')).toEqual({ list: members(0, 3) })
})

test.each<[string, readonly (readonly [string, Kind])[], readonly (readonly [string, Kind])[]]>([
  ['a member first', [['a', struct(['b', 'text'])]], [['a.b', 'text']]],
  [
    'a member last',
    [
      ['a', struct(['c', 'text'])],
      ['A.b', 'text'],
    ],
    [['a', struct(['b', 'text'])]],
  ],
  ['an element', [['a', { list: 'text' }]], [['a.element', 'double']]],
  ['a member of an element', [['a.element.b', 'text']], [['a', { list: struct(['b', 'text']) }]]],
  ['within one column', [], [['a', struct(['b.c', 'text'], ['b', struct(['c', 'text'])])]]],
])('a name that readers of Iceberg take for the path of another field gets no column: %s', (_, before, wanted) => {
  const next = from(1)
  const table = addColumns([], struct(['id', 'text'], ...before), next) ?? []
  expect(addColumns(table, struct(...wanted), next)).toBeUndefined()
  expect(addColumns(table, struct(...wanted, ['x.y', 'text']), next)?.at(-1)).toMatchObject({ name: 'x.y' })
})

test('an int becomes a long where events have numbers for it, but not what files are put apart or sorted by, or rows told apart', () => {
  const table = [field(1, 'a', 'int'), field(2, 'b', 'float'), field(3, 'c', 'int'), field(4, 'd', 'int')]
  const wanted = struct(['a', 'double'], ['b', 'integer'], ['c', 'text'], ['d', 'integer'])
  const wide = [field(1, 'a', 'long'), field(2, 'b', 'double'), field(3, 'c', 'int')]
  expect(addColumns(table, wanted, from(9), new Set([4]))).toEqual([...wide, field(4, 'd', 'int')])
  expect(addColumns([...wide, field(4, 'd', 'int')], wanted, from(9), new Set([4]))).toBeUndefined()
  expect(toPromotable(table, new Set([4]))).toEqual(struct(['a', 'integer'], ['b', 'double'], ['c', 'integer']))
})

test('fields by which a table puts files apart, sorts rows, or tells them apart stay what they are', () => {
  const by = (...sources: readonly number[]) => ({
    id: 0,
    fields: sources.map(sourceId => ({ sourceId, fieldId: 1_000, name: 'f', transform: 'identity', direction: 'asc' })),
  })
  const schema = { id: 0, fields: [], identifierIds: [5] }
  expect(toFixedIds({ specs: [by(1), by(2, 3)], sortOrders: [by(), by(4)], schema })).toEqual(new Set([1, 2, 3, 4, 5]))
})
