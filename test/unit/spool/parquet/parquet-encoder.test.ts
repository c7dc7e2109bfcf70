import { zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet'
import { expect, test } from 'vitest'
import { fromMembers, isObject, toMembers } from '../../../../src/formats/members.ts'
import { Float64, isNumber, type Value } from '../../../../src/formats/number.ts'
import { type KindJson, toJsonValue } from '../../../../src/formats/parquet/kind.ts'
import { encodeFields, thriftType } from '../../../../src/formats/thrift/field-list.ts'
import type { DecodedEvent, Payload } from '../../../../src/spool/events/decode-events.ts'
import { EventSchema } from '../../../../src/spool/parquet/event-schema.ts'
import { ParquetEncoder } from '../../../../src/spool/parquet/parquet-encoder.ts'
import { type FoundRow, readRows } from '../../../../src/spool/parquet/read-rows.ts'
import { SealMemory } from '../../../../src/spool/parquet/seal-memory.ts'
import { startMs } from '../../../suites/spool.ts'
import { values } from '../../formats/values.ts'

const head = { index: 0, name: 'Hello', date: startMs, granularity: 'HOURLY' } as const

const newEncoder = (schema: EventSchema, partitions: readonly string[] = []): ParquetEncoder =>
  new ParquetEncoder({
    schema,
    schemas: { learn: one => one.learn() },
    codec: 'zstd',
    memory: new SealMemory(),
    partitions,
  })

const toEvent = (payload: Payload, date = startMs, isTyped = true): DecodedEvent => ({
  kind: 'smile',
  isTyped,
  head: { ...head, date },
  payload: { ...payload, eventDate: date, eventGranularity: 'HOURLY' },
})

const readAll = async (bytes: Uint8Array): Promise<FoundRow[]> => await Array.fromAsync(readRows(bytes))

/** What a file of these events holds; its own columns are left out. */
const write = async (schema: EventSchema, events: readonly DecodedEvent[]): Promise<Payload[]> => {
  const encoder = newEncoder(schema)
  for (const event of events) encoder.add(event)
  return (await readAll(encoder.finish())).map(({ payload: { eventDate: _d, eventGranularity: _g, ...rest } }) => rest)
}

/** Whether a kind is another one with nothing but more members of structs, after those that it had. */
const isGrown = (before: KindJson, after: KindJson): boolean => {
  if (typeof before === 'string' || typeof after === 'string') return before === after
  if ('list' in before) return 'list' in after && isGrown(before.list, after.list)
  if (!('struct' in after)) return false
  return before.struct.every(([name, kind], i) => {
    const [newName, newKind] = after.struct[i] ?? []
    return newName === name && newKind !== undefined && isGrown(kind, newKind)
  })
}

/** Numbers by value, and without null members, which a column does not distinguish from missing ones. */
const normalize = (value: Value): Value => {
  if (isNumber(value)) return toPlain(value)
  if (Array.isArray(value)) return value.map(normalize)
  if (!isObject(value)) return value
  const { names, values: found } = toMembers(value)
  const members = names.map((name, i) => [name, normalize(found[i] ?? null)] as const)
  return fromMembers(members.filter(([, member]) => member !== null).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const toPlain = (value: Exclude<Value, null | boolean | string | Uint8Array | Value[] | Payload>): string => {
  const number = Number(value)
  return Number.isInteger(number) && !Object.is(number, -0) && typeof value !== 'bigint' && Number.isFinite(number)
    ? `${String(value)}`.replace(/\.0$/, '')
    : String(value)
}

const names = fc.constantFrom('a', 'b', 'A', 'user', '10', '9', '', '__proto__', 'constructor', '_extra', 'x\ny')
const payloads = fc
  .array(fc.tuple(names, values({ json: true })), { maxLength: 6 })
  .map(members => fromMembers(members))

test('whatever is sent, each file gives it back, and no column changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(payloads, { minLength: 1, maxLength: 6 }), { maxLength: 4 }), async files => {
      const schema = new EventSchema('Hello')
      let before = toJsonValue(schema.columns)
      for (const file of files) {
        const found = await write(
          schema,
          file.map((payload, i) => toEvent(payload, startMs, i % 2 === 0)),
        )
        expect(found.map(normalize)).toEqual(file.map(normalize))
        const after = toJsonValue(schema.columns)
        expect(isGrown(before, after)).toBe(true)
        before = after
      }
    }),
    { numRuns: 60 },
  )
})

test('integers, then fractions, then text: three files that are read together, and nothing is lost', async () => {
  const schema = new EventSchema('Hello')
  const files = [
    [{ x: 1 }, { x: 2n ** 62n }],
    [{ x: 1.5 }, { x: 2 }],
    [{ x: 'abc' }, { y: true }],
  ]
  for (const file of files) {
    const encoder = newEncoder(schema)
    for (const payload of file) encoder.add(toEvent(payload))
    const bytes = encoder.finish()
    expect(await kindsOf(bytes)).toMatchObject({ x: 'INT64', eventDate: 'INT64', _extra: 'BYTE_ARRAY' })
    expect((await readAll(bytes)).map(({ payload }) => payload)).toMatchObject(file)
  }
  expect([...schema.misfits]).toEqual([['x', 2]])
})

test('numbers of JSON: whole ones in the first interval, fractions later, and one beyond 2^53', async () => {
  const schema = new EventSchema('Order')
  const files: Payload[][] = [
    [{ total: 12 }, { total: 30 }, { total: 7 }],
    [{ total: 8.5 }, { total: 19.99 }],
    [{ total: 2n ** 53n + 1n }, { total: 2n ** 60n }],
  ]
  const found: Value[] = []
  for (const file of files) {
    const encoder = newEncoder(schema)
    for (const payload of file) encoder.add(toEvent(payload, startMs, false))
    const bytes = encoder.finish()
    expect(await kindsOf(bytes)).toMatchObject({ total: 'DOUBLE' })
    const rows = await parquetReadObjects({ file: toFile(bytes), compressors, parsers: asText })
    found.push(...rows.map(({ total, _extra }) => (_extra as string | undefined) ?? (total as number)))
  }
  expect(found).toEqual([12, 30, 7, 8.5, 19.99, '{"total":9007199254740993}', 2 ** 60])
  expect([...schema.misfits]).toEqual([['total', 1]])
})

test('texts among numbers stay texts, and each value comes back as what it was', async () => {
  const schema = new EventSchema('Hello')
  const sent: Payload[] = [{ m: 'a' }, { m: 5 }, { m: '5' }, { m: true }, { m: { a: 1 } }, { m: 'true' }]
  const encoder = newEncoder(schema)
  for (const payload of sent) encoder.add(toEvent(payload))
  const bytes = encoder.finish()
  const rows = await parquetReadObjects({ file: toFile(bytes), compressors, parsers: asText })
  expect(rows.map(({ m }) => m as Value)).toEqual(['a', '5', '5', 'true', '{"a":1}', 'true'])
  expect(rows.map(({ _extra }) => (_extra ?? null) as Value)).toEqual([
    null,
    null,
    '{"m":"5"}',
    null,
    null,
    '{"m":"true"}',
  ])
  expect((await readAll(bytes)).map(({ payload }) => payload)).toMatchObject(sent)
  expect([...schema.misfits]).toEqual([])
})

test('columns of one file are learned over all files of its type that are being written', () => {
  const schema = new EventSchema('Hello')
  const [first, second] = [newEncoder(schema), newEncoder(schema)]
  first.add(toEvent({ x: 1 }))
  second.add(toEvent({ x: 0.5 }))
  first.finish()
  expect(schema.columns.struct.get('x')).toBe('double')
})

test('a field that comes after the first row group is in `_extra` of this file, and a column of the next', async () => {
  const schema = new EventSchema('Hello')
  const encoder = newEncoder(schema)
  encoder.add(toEvent({ a: 1 }))
  encoder.pack()
  encoder.add(toEvent({ a: 2, late: 'x' }))
  const bytes = encoder.finish()
  expect(Object.keys(await kindsOf(bytes))).toEqual(['eventName', 'eventDate', 'eventGranularity', 'a', '_extra'])
  expect((await readAll(bytes)).map(({ payload }) => payload)).toMatchObject([{ a: 1 }, { a: 2, late: 'x' }])
  expect(schema.columns.struct.get('late')).toBe('text')
})

test('numbers that are written as text are numbers again, and JSON is a value', async () => {
  const rows = [
    { big: 2n ** 64n, mixed: 1 },
    { big: 1, mixed: 'x' },
  ]
  expect(
    await write(
      new EventSchema('Hello'),
      rows.map(row => toEvent(row)),
    ),
  ).toEqual(rows)
})

test('columns with no value in a file are there all the same', async () => {
  const schema = new EventSchema('Hello')
  expect(await write(schema, [toEvent({ a: 1, b: 'x' })])).toEqual([{ a: 1, b: 'x' }])
  const encoder = newEncoder(schema)
  encoder.add(toEvent({ a: 2 }))
  expect(Object.keys(await kindsOf(encoder.finish()))).toContain('b')
})

test.each<[string, Payload, string | null]>([
  ['a name of its own', { eventName: 'Other' }, '{"eventName":"Other"}'],
  ['a member called _extra', { _extra: { a: 1 } }, '{"_extra":{"a":1}}'],
  ['a date in other words', { eventDate: '2026-01-02T03:04:05Z' }, '{"eventDate":"2026-01-02T03:04:05Z"}'],
  ['the same date', { eventDate: startMs }, null],
  ['a granularity that is no text', { eventGranularity: 1 }, '{"eventGranularity":1}'],
  ['an empty list', { x: [] }, '{"x":[]}'],
  ['names that differ in case', { EVENTDATE: 1 }, '{"EVENTDATE":1}'],
  ['null', { x: null }, null],
])('%s of the sender', async (_, payload, extra) => {
  const encoder = newEncoder(new EventSchema('Hello'))
  encoder.add({
    kind: 'smile',
    head,
    payload: { eventDate: startMs, eventGranularity: 'HOURLY', ...payload },
    isTyped: true,
  })
  const [row] = await parquetReadObjects({ file: toFile(encoder.finish()), compressors, parsers: asText })
  expect(row).toMatchObject({ eventName: 'Hello', eventDate: new Date(startMs) })
  expect(row?.['_extra'] ?? null).toBe(extra)
})

test('names of partitions have no column, where a reader would take the value of the directory', async () => {
  const schema = new EventSchema('Hello')
  const dated = newEncoder(schema)
  dated.add(toEvent({ hour: 7, a: 1 }))
  expect(Object.keys(await kindsOf(dated.finish()))).toContain('hour')
  const encoder = newEncoder(schema, ['dt', 'hour'])
  encoder.add(toEvent({ hour: 8, DT: 'x', a: 2 }))
  const bytes = encoder.finish()
  expect(Object.keys(await kindsOf(bytes)).slice(3)).toEqual(['a', '_extra'])
  expect(await readAll(bytes)).toMatchObject([{ payload: { hour: 8, DT: 'x', a: 2 } }])
})

test('Thrift: every field has a column, by the name that the registry knows, else by its id', async () => {
  const payload = encodeFields([
    { id: 1, type: thriftType.i64, value: 2n ** 63n - 1n },
    { id: 2, type: thriftType.string, value: new TextEncoder().encode('é') },
    { id: 2, type: thriftType.string, value: Uint8Array.of(0xff) },
    { id: 5, type: thriftType.bool, value: true },
    { id: 7, type: thriftType.double, value: 2 },
  ])
  const record = { name: 'Hello', typeName: 'Hello', payload, date: startMs, granularity: 'HOURLY', start: 0, end: 0 }
  const event: DecodedEvent = { kind: 'thrift', head, record, bytes: payload }
  const unknown = new EventSchema('Hello')
  expect(await write(unknown, [event])).toEqual([
    { field_1: 2n ** 63n - 1n, field_2: 'é', field_2_2: Uint8Array.of(0xff), field_5: true, field_7: new Float64(2) },
  ])
  const known = new EventSchema('Hello')
  known.register([
    { id: 1, name: 'memberId', type: 'long' },
    { id: 2, name: 'note', type: 'string' },
    { id: 5, name: 'note', type: 'boolean' },
    { id: 9, name: 'address', type: 'ip' },
  ])
  expect(await write(known, [event])).toEqual([
    { memberId: 2n ** 63n - 1n, note: 'é', field_2: '/w==', field_5: true, field_7: new Float64(2) },
  ])
  expect([...known.columns.struct.keys()].slice(3)).toEqual(['memberId', 'note'])
})

test('what a registry knows is what there are columns for; what it knows no type for is learned', async () => {
  const schema = new EventSchema('Hello')
  schema.register([
    { id: 1, name: 'price', type: 'double' },
    { id: 2, name: 'at', type: 'date' },
    { id: 3, name: 'address', type: 'ip' },
    { id: 4, name: 'Price', type: 'string' },
  ])
  const payload = { price: 2, at: '2026-01-02T03:04:05.000Z', address: '10.0.0.1', other: 1 }
  expect(await write(schema, [toEvent(payload)])).toEqual([
    { price: new Float64(2), at: startMs, address: '10.0.0.1', other: 1 },
  ])
  expect(Object.fromEntries(schema.columns.struct)).toMatchObject({ price: 'double', at: 'timestamp', address: 'text' })
  for (const name of ['other', 'Price']) expect([...schema.columns.struct.keys()]).not.toContain(name)
  schema.register(undefined)
  await write(schema, [toEvent({ other: 1, _EXTRA: 2 })])
  expect([...schema.columns.struct.keys()]).not.toContain('_EXTRA')
  expect([...schema.columns.struct.keys()]).toContain('other')
})

test('a registry adds no more columns than a file may have, and none of a name that cannot be one', () => {
  const schema = new EventSchema('Hello')
  const names = [
    '_extra',
    '_Extra',
    '__proto__',
    '',
    'a\nb',
    'eventdate',
    ...Array.from({ length: 600 }, (_, i) => `c${i}`),
  ]
  expect(schema.register(names.map((name, id) => ({ id, name, type: 'string' })))).toBe(true)
  expect(schema.columns.struct.size).toBe(500)
  expect([...schema.columns.struct.keys()].slice(3, 5)).toEqual(['c0', 'c1'])
  expect(schema.register([])).toBe(false)
})

const toFile = (bytes: Uint8Array): AsyncBuffer => ({
  byteLength: bytes.length,
  slice: async (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer,
})

const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) }
const asText = { jsonFromBytes: (bytes?: Uint8Array) => bytes && new TextDecoder().decode(bytes) }

const kindsOf = async (bytes: Uint8Array): Promise<Record<string, string | undefined>> =>
  Object.fromEntries(
    parquetSchema(await parquetMetadataAsync(toFile(bytes))).children.map(({ element }) => [
      element.name,
      element.type,
    ]),
  )
