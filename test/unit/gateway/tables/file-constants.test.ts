/** Columns that files lack because their partition has them, as after a migration from Hive. */
import { expect, test } from 'vitest'
import { Decimal, Float32, type Value } from '../../../../src/formats/number.ts'
import { createConstants } from '../../../../src/gateway/tables/file-constants.ts'
import { change, createTable, getJson, rowsOf, watch } from './world.ts'

/** Hours of the manifests of that table, and what they are as values of another type. */
const hours = [8, 9, 10].map(hour => Date.UTC(2026, 10, 22, hour) / 3_600_000)

test.each<[string, (value: number) => number | string]>([
  ['int', value => value],
  ['long', value => value],
  ['date', value => new Date(value * 86_400_000).toISOString().replace(/T.*/, '').replace(/^\+0*/, '+0')],
  ['time', value => `00:00:00.${value}`],
  ['timestamp', value => `1970-01-01T00:00:00.${value}Z`],
])('a column of the type %s has the value of the partition, also where it is looked for', async (type, toValue) => {
  const { fileSystem, opened } = watch(await createTable())
  await change(fileSystem, json => {
    json['schemas'] = [
      {
        type: 'struct',
        'schema-id': 0,
        fields: [
          { id: 9, name: 'of', required: false, type },
          { id: 2, name: 'id', required: false, type: 'long' },
        ],
      },
    ]
    json['current-schema-id'] = 0
    const field = { 'source-id': 9, 'field-id': 1000, name: 'other name', transform: 'identity' }
    json['partition-specs'] = [{ 'spec-id': 0, fields: [field] }]
  })
  const values = hours.map(toValue)
  const rows = [8, 9, 10].flatMap((id, i) => [
    { of: values[i], id },
    { of: values[i], id },
  ])
  expect(rowsOf(await getJson(fileSystem))).toEqual(rows)
  expect(rowsOf(await getJson(fileSystem, '&columns=of'))).toEqual(rows.map(({ of }) => ({ of })))
  opened.clear()
  const where = `&where=${encodeURIComponent(`of = ${values[1]}`)}`
  expect(rowsOf(await getJson(fileSystem, where))).toEqual(rows.slice(2, 4))
  if (type === 'int' || type === 'long' || type === 'date')
    expect([...opened]).toEqual([`dt=2026-11-22/hour=09/9.parquet`])
})

test.each<[string, Value, Value]>([
  ['string', 'DK', 'DK'],
  ['boolean', false, false],
  ['float', new Float32(0.1), new Float32(0.1)],
  // Wider since then.
  ['double', new Float32(0.1), Math.fround(0.1)],
  ['decimal(9, 2)', new Uint8Array([0xff, 0x85]), new Decimal(-123n, 2)],
  ['decimal(38,0)', new Uint8Array([1, 0]), new Decimal(256n, 0)],
  ['uuid', new Uint8Array(16).fill(0xab), 'abababab-abab-abab-abab-abababababab'],
  ['binary', new Uint8Array([1]), new Uint8Array([1])],
  ['string', null, null],
])('%s of a manifest is a value of a row', (type, value, expected) => {
  const toConstants = createConstants({
    schema: { id: 0, identifierIds: [], fields: [{ id: 5, name: 'a', isRequired: false, type }] },
    specs: [
      { id: 0, fields: [] },
      {
        id: 1,
        fields: [
          { sourceId: 4, fieldId: 1000, name: 'b', transform: 'bucket[4]' },
          { sourceId: 5, fieldId: 1001, name: 'a', transform: 'identity' },
        ],
      },
    ],
  })
  expect(toConstants({ partition: new Map([[1001, value]]) }, 1)).toEqual(new Map([[5, expected]]))
  expect(toConstants({ partition: new Map() }, 0)).toEqual(new Map())
  expect(toConstants({ partition: new Map() }, 7)).toEqual(new Map())
})
