import fc from 'fast-check'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import type { Statistics } from '../../../../src/formats/parquet/chunk-metadata.ts'
import type { Leaf } from '../../../../src/formats/parquet/schema.ts'
import { mayMatch } from '../../../../src/rows/parquet/prune.ts'
import { parseWhere, type Where } from '../../../../src/rows/where/where.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { collect, fixture, openBytes, toJson } from '../../../unit/rows/files.ts'

type Cells = readonly unknown[]
const optional = { repetition_type: 'OPTIONAL' } as const
const schema: SchemaElement[] = [
  { name: 'root', num_children: 7 },
  { ...optional, name: 'long', type: 'INT64' },
  { ...optional, name: 'int', type: 'INT32' },
  { ...optional, name: 'double', type: 'DOUBLE' },
  { ...optional, name: 'float', type: 'FLOAT' },
  { ...optional, name: 'text', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  { ...optional, name: 'at', type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  { ...optional, name: 'unsigned', type: 'INT64', converted_type: 'UINT_64' },
]
const names = schema.slice(1).map(({ name }) => name)

const toFile = (rows: readonly Cells[], rowGroupSize: number): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: names.map((name, i) => ({ name, data: rows.map(row => row[i] ?? null) })),
      schema,
      rowGroupSize,
    }),
  )

/** The rows that a file gives for an expression, and bytes that were read of it. */
const find = async (bytes: Uint8Array, text: string | undefined) => {
  const where = text === undefined ? undefined : parseWhere(text)
  const files = createMemoryFileSystem()
  let read = 0
  const open: typeof files.open = async (path, options) => {
    const { offset = 0, length = bytes.length } = options ?? {}
    // What ends with the file is its footer.
    if (offset + length < bytes.length) read += length
    return files.open(path, options)
  }
  const reading = await openBytes('x.parquet', bytes, {
    fileSystem: { ...files, open },
    ...(where ? { wanted: { where } } : {}),
  })
  const numbers: number[] = []
  const found: string[] = []
  for await (const batch of reading.batches) {
    let number = batch.first
    for (const row of batch.rows) {
      if (where === undefined || where.matches(row)) {
        numbers.push(number)
        found.push(toJson(row))
      }
      number += 1
    }
  }
  return { found, numbers, read }
}

/** Undefined where the language has no such question, such as one for what is above `true`. */
const toWhere = (asked: string): Where | undefined => {
  try {
    return parseWhere(asked)
  } catch {
    return undefined
  }
}

const double: Leaf = {
  index: 0,
  element: { name: 'double', type: 'DOUBLE', repetition: 'optional' },
  logical: undefined,
  maxDefinition: 1,
  maxRepetition: 0,
}

const toBound = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}

const text = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', '', 'é', '2024-05-01', '10', '😀'),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
)
const cells = fc.tuple(
  fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  fc.option(fc.integer({ min: -5, max: 5 })),
  fc.option(fc.oneof(fc.double(), fc.constantFrom(-0, 0, 1, Number.NaN, Number.POSITIVE_INFINITY))),
  fc.option(fc.oneof(fc.float(), fc.constantFrom(Math.fround(0.1), -0, Number.NaN))),
  fc.option(text),
  fc.option(fc.date({ min: new Date('1969-12-31'), max: new Date('2030-01-01'), noInvalidDate: true })),
  fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
)
const literal = fc.oneof(
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.integer({ min: -6, max: 6 }).map(String),
  fc.constantFrom('0.1', '-0', '1e400', 'null', 'true', '2024-05-01', '1970-01-01T00:00:00.5Z'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  text.map(value => `"${value.replaceAll(/[\\"]/g, '')}"`),
)
const comparison = fc
  .tuple(fc.constantFrom(...names, 'none'), fc.constantFrom('=', '!=', '<', '<=', '>', '>=', '~', '!~'), literal)
  .map(parts => parts.join(' '))
const { expression } = fc.letrec<{ expression: string }>(tie => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    comparison,
    fc
      .tuple(tie('expression'), fc.constantFrom('and', 'or'), tie('expression'))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie('expression').map(term => `not (${term})`),
  ),
}))

describe('row groups that cannot have what is looked for', () => {
  test('are skipped without losing a row, whatever the file contains', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(cells, { maxLength: 24 }),
        fc.integer({ min: 1, max: 5 }),
        expression,
        async (rows, size, asked) => {
          const bytes = toFile(rows, size)
          const where = toWhere(asked)
          fc.pre(where !== undefined)
          const { rows: all, error } = await collect(await openBytes('x.parquet', bytes))
          expect(error).toBeUndefined()
          const numbers = all.flatMap((row, i) => (where.matches(row) ? [i] : []))
          expect((await find(bytes, asked)).numbers).toEqual(numbers)
        },
      ),
      { numRuns: 150 },
    )
  })

  const many = Array.from(
    { length: 4_000 },
    (_, i): Cells => [
      BigInt(i),
      i - 2_000,
      i / 8,
      i / 8,
      `word ${String(i).padStart(5, '0')} ${'x'.repeat(i % 50)}`,
      new Date(i * 60_000),
      BigInt(i),
    ],
  )
  const file = toFile(many, 500)
  test.each([
    'long = 1700',
    'int >= 1990 and double > 0',
    'double < 0.5',
    'float = 100.125',
    'text = "word 00017 xxxxxxxxxxxxxxxxx"',
    'at >= 1970-01-03T18:30:00Z',
    'long = 3 or long = 3999',
  ])('are not read: %s', async asked => {
    const [all, some] = [await find(file, undefined), await find(file, asked)]
    expect(some.found.length).toBeGreaterThan(0)
    expect(some.found).toEqual(all.found.filter((_, i) => some.numbers.includes(i)))
    expect(some.read).toBeLessThan(all.read * 0.6)
  })

  const only = (at: number, value: unknown): Cells => names.map((_, i) => (i === at ? value : null))
  test.each([
    ['float = 0.1', only(3, Math.fround(0.1))],
    ['text = 2024-05-01', only(4, '2024-05-01T00:00Z')],
    ['text <= "b"', only(4, 'a')],
    ['double = 0', only(2, -0)],
  ] as const)('are read for what is equal in other words: %s', async (asked, row) => {
    expect((await find(toFile([row], 1), asked)).numbers).toEqual([0])
  })

  test('are read where a bound is not a number, or none', () => {
    const { expression } = parseWhere('double > 5')
    const may = (statistics: Statistics): boolean => mayMatch(expression, () => ({ leaf: double, statistics }))
    const [one, four] = [toBound(1), toBound(4)]
    expect(may({ minValue: one, maxValue: four })).toBe(false)
    expect(may({ minValue: one, maxValue: toBound(Number.NaN) })).toBe(true)
    expect(may({ min: one, max: four })).toBe(true)
    expect(may({ min: one, maxValue: four })).toBe(true)
    expect(may({ minValue: one, maxValue: four.subarray(1) })).toBe(true)
    expect(may({})).toBe(true)
    expect(mayMatch(expression, () => undefined)).toBe(true)
  })

  test.each(['not (long != 3)', 'unsigned = 3', 'text ~ "00017"', 'text = 17', 'long != 3', 'long = null'])(
    'are read where bounds tell nothing: %s',
    async asked => {
      const [all, some] = [await find(file, undefined), await find(file, asked)]
      expect(some.read).toBeGreaterThanOrEqual(all.read)
    },
  )

  test.each(['types.parquet', 'kinds.parquet'])('of other writers give the same rows: %s', async name => {
    const bytes = fixture(`rows/${name}`)
    const { rows } = await collect(await openBytes(name, bytes))
    const [first] = rows
    for (const row of [...rows.slice(0, 10), ...rows.slice(-3)]) {
      for (const [i, column] of (first?.names ?? []).entries()) {
        const value = row.values[i]
        if (value === null || typeof value === 'object') continue
        for (const operator of ['=', '<=', '>=', '<', '>']) {
          const shown = typeof value === 'string' ? JSON.stringify(value).replaceAll('\\', '') : String(value)
          const asked = `"${column}" ${operator} ${shown}`
          const where = toWhere(asked)
          if (where === undefined) continue
          const numbers = rows.flatMap((one, at) => (where.matches(one) ? [at] : []))
          expect([asked, (await find(bytes, asked)).numbers]).toEqual([asked, numbers])
        }
      }
    }
  })
})
