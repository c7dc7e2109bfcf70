import { Buffer } from 'node:buffer'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { readRowsInto } from '../../../src/compaction/read-rows.ts'
import { createRowSorter } from '../../../src/compaction/row-sorter.ts'
import { toTargetColumns } from '../../../src/compaction/target-columns.ts'
import { readFooter, toParquetFile } from '../../../src/formats/parquet/file.ts'
import { createRecordWriter, RecordMemory } from '../../../src/formats/parquet/rewrite/record-writer.ts'
import { layOut } from '../../../src/formats/parquet/rewrite/target.ts'
import type { TableField, TableType } from '../../../src/tables/schema.ts'
import { readParquet, toText } from './table-rows.ts'

const date: TableField = { id: 1, name: 'eventDate', isRequired: true, type: 'timestamptz' }
const columnOf = (type: string, isRequired = false): readonly TableField[] => [
  date,
  { id: 2, name: 'v', isRequired, type },
]

const layoutOf = (fields: readonly TableField[]) => layOut(toTargetColumns(fields, 'a table'))

/** Bytes of values of these widths, little-endian. */
const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
const long = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}
const float = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}
const withLength = (bytes: Buffer): Buffer => Buffer.concat([int(bytes.length), bytes])
const decimal16 = (value: bigint): Buffer =>
  Buffer.from(BigInt.asUintN(128, value).toString(16).padStart(32, '0'), 'hex')

const writeFile = (fields: readonly TableField[], records: readonly { bytes: Buffer; start: number }[]): Buffer => {
  const layout = layoutOf(fields)
  const memory = new RecordMemory(layout)
  const writer = createRecordWriter({
    layout,
    codec: 'zstd',
    facts: [],
    sortedBy: 'eventDate',
    memory,
    groupBytes: 1e6,
  })
  for (const { bytes, start } of records) writer.add(bytes, start)
  return Buffer.concat([writer.endGroup(), writer.finish()])
}

/** A file with one column beside the date, whose values are given as in a plain page. */
const makeFile = (fields: readonly TableField[], values: readonly (Buffer | null)[]): Buffer => {
  const isRequired = fields[1]?.isRequired === true
  const records = values.map((value, i) => {
    const level = Buffer.from([value === null || isRequired ? 0 : 1])
    // Later rows are older.
    return {
      bytes: Buffer.concat([Buffer.from([0]), long(BigInt(100 - i)), level, value ?? Buffer.alloc(0)]),
      start: 0,
    }
  })
  return writeFile(fields, records)
}

/** The rows of a file, rewritten as those of other columns. */
const rewrite = async (bytes: Buffer, fields: readonly TableField[]): Promise<Buffer> => {
  const layout = layoutOf(fields)
  const [sortedBy] = layout.leaves
  if (!sortedBy) throw new Error('there is no column')
  const file = toParquetFile(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length))
  const sorter = createRowSorter({ directory: tmpdir(), memoryBytes: 1e6 })
  const names = new Map([
    [1, ['eventDate']],
    [2, ['v']],
  ])
  const target = { layout, sortedBy, identifiedBy: undefined, names, hour: 0 }
  await readRowsInto(sorter, { file, footer: await readFooter(file) }, target, () => {})
  const records = []
  const next = await sorter.rows()
  for (let row = await next(); row; row = await next()) records.push(row)
  return writeFile(fields, records)
}

/** Values of the column, those of the last row first, which has the least date. */
const valuesOf = async (bytes: Buffer): Promise<string[]> => {
  const { names, rows } = await readParquet(bytes)
  return rows.map(row => {
    return toText(row[names.indexOf('v')] ?? null)
  })
}

describe('a column of each type', () => {
  const fixed = (hex: string): Buffer => Buffer.from(hex, 'hex')
  test.each<[given: string, type: string, values: readonly Buffer[], want: readonly string[]]>([
    ['boolean', 'boolean', [fixed('01'), fixed('00')], ['true', 'false']],
    ['int', 'int', [int(2 ** 31 - 1), int(-(2 ** 31))], ['2147483647', '-2147483648']],
    ['int', 'long', [int(2 ** 31 - 1), int(-(2 ** 31))], ['2147483647', '-2147483648']],
    ['long', 'long', [long(2n ** 63n - 1n), long(-(2n ** 63n))], ['9223372036854775807', '-9223372036854775808']],
    ['float', 'float', [float(0.1), float(-0)], ['0.1', '-0.0']],
    ['float', 'double', [float(0.5), float(Number.NEGATIVE_INFINITY)], ['0.5', '-Infinity']],
    ['date', 'date', [int(0), int(-1)], ['1970-01-01', '1969-12-31']],
    ['time', 'time', [long(1n), long(86_399_999_999n)], ['00:00:00.000001', '23:59:59.999999']],
    ['timestamp', 'timestamp', [long(1n)], ['1970-01-01T00:00:00.000001Z']],
    ['timestamptz', 'timestamptz', [long(-1n)], ['1969-12-31T23:59:59.999999Z']],
    ['string', 'string', [withLength(Buffer.from('ä€😀')), withLength(Buffer.alloc(0))], ['ä€😀', '']],
    ['binary', 'binary', [withLength(fixed('00ff80')), withLength(Buffer.alloc(0))], ['00ff80', '']],
    ['fixed[3]', 'fixed[3]', [fixed('00ff80')], ['00ff80']],
    ['uuid', 'uuid', [fixed('00112233445566778899aabbccddeeff')], ['00112233-4455-6677-8899-aabbccddeeff']],
    ['decimal(9,2)', 'decimal(9,2)', [int(-999_999_999)], ['-9999999.99']],
    ['decimal(9,2)', 'decimal(18,2)', [int(-999_999_999)], ['-9999999.99']],
    ['decimal(9,2)', 'decimal(38,2)', [int(-999_999_999), int(1)], ['-9999999.99', '0.01']],
    ['decimal(18,4)', 'decimal(20,4)', [long(-123_456_789_012_345_678n)], ['-12345678901234.5678']],
    ['decimal(38,0)', 'decimal(38,0)', [decimal16(-(10n ** 37n)), decimal16(7n)], [`-1${'0'.repeat(37)}`, '7']],
  ])('%s becomes %s with the same values', async (given, type, values, want) => {
    const file = makeFile(columnOf(given), [...values, null])
    const made = await rewrite(file, columnOf(type))
    expect(await valuesOf(made)).toEqual(['null', ...want.toReversed()])
    // A file of what was required, to what may be null.
    expect(await valuesOf(await rewrite(makeFile(columnOf(given, true), values), columnOf(type)))).toEqual(
      want.toReversed(),
    )
  })

  test('keeps every bit of a value that is not a number', async () => {
    for (const [type, bits] of [
      ['double', '010000000000f07f'],
      ['double', 'efcdab8967f5ffff'],
      ['float', '0100807f'],
    ] as const) {
      const made = await rewrite(makeFile(columnOf(type, true), [fixed(bits)]), columnOf(type, true))
      // Short chunks are not compressed.
      expect(made.includes(fixed(bits)), `${type} ${bits}`).toBe(true)
    }
  })

  test.each([
    ['long', 'int'],
    ['double', 'float'],
    ['string', 'long'],
    ['int', 'date'],
    ['decimal(9,2)', 'decimal(9,3)'],
    ['fixed[3]', 'fixed[4]'],
    ['timestamptz', 'long'],
  ])('%s does not become %s', async (given, type) => {
    const file = makeFile(columnOf(given), [null])
    await expect(rewrite(file, columnOf(type))).rejects.toThrow(/expected values of .* in v, found/)
  })

  test.each([
    ['decimal(38,0)', 'decimal(20,0)', decimal16(10n ** 30n)],
    ['decimal(18,2)', 'decimal(9,2)', long(10n ** 10n)],
    ['decimal(38,2)', 'decimal(18,2)', decimal16(-(10n ** 20n))],
  ])('a value of %s that %s does not hold is refused', async (given, type, value) => {
    const file = makeFile(columnOf(given), [value])
    await expect(rewrite(file, columnOf(type))).rejects.toThrow(/expected a decimal of \d+ digits, found/)
  })

  test('a struct, a list or a map that may not be null is refused where it is', async () => {
    const item = { id: 3, isRequired: false }
    const kinds: readonly TableType[] = [
      { kind: 'struct', fields: [{ ...item, name: 'a', type: 'int' }] },
      { kind: 'list', ...item, element: 'int' },
      { kind: 'map', keyId: 4, key: 'int', valueId: 3, value: 'int', isRequired: false },
    ]
    for (const type of kinds) {
      const fieldsOf = (isRequired: boolean): readonly TableField[] => [date, { id: 2, name: 'v', isRequired, type }]
      const head = typeof type === 'object' && type.kind !== 'struct' ? [1, 0, 0, 0, 0] : []
      /** With null, or what is empty, at a definition level. */
      const fileOf = (level: number): Buffer => {
        const leaf = Buffer.from([...head, level])
        const leaves = typeof type === 'object' && type.kind === 'map' ? [leaf, leaf] : [leaf]
        const bytes = Buffer.concat([Buffer.from([0]), long(1n), ...leaves])
        return writeFile(fieldsOf(false), [{ bytes, start: 0 }])
      }
      await expect(rewrite(fileOf(0), fieldsOf(true))).rejects.toThrow(/expected a value of v.*, which may not be null/)
      expect((await readParquet(await rewrite(fileOf(1), fieldsOf(true)))).rows).toHaveLength(1)
      expect((await readParquet(await rewrite(fileOf(0), fieldsOf(false)))).rows[0]?.[1]).toBe(null)
    }
  })

  test('that may not be null is refused where it is, or is missing', async () => {
    const withNull = makeFile(columnOf('int'), [null])
    await expect(rewrite(withNull, columnOf('int', true))).rejects.toThrow(/may not be null/)
    const without = makeFile([date, { id: 7, name: 'other', isRequired: false, type: 'int' }], [int(1)])
    await expect(rewrite(without, columnOf('int', true))).rejects.toThrow(/"v", which may not be null, found none/)
    expect(await valuesOf(await rewrite(without, columnOf('int')))).toEqual(['null'])
  })
})
