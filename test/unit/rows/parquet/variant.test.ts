/** Variant columns of Parquet files, shredded: what is there, what is null, and what is not there. */
import { expect, test } from 'vitest'
import { type Chunk, type Element, int32s, levels, parquetFile, run, texts } from '../../../suites/parquet-file.ts'
import { readJson } from '../files.ts'

const bytes = (name: string, repetition: 'required' | 'optional'): Element => ({ name, repetition, type: 'BYTE_ARRAY' })
/** A member of a shredded object: a value of the type is in the one leaf, anything else in the other. */
const member = (name: string): Element => ({
  name,
  children: [bytes('value', 'optional'), { name: 'typed_value', repetition: 'optional', type: 'INT32' }],
})
/** No names, version 1. */
const noNames = '\u0001\u0000\u0000'
const variantNull = '\u0000'
/** `{"b": null}` beside the member `a`, with its one name. */
const bIsNull = '\u0002\u0001\u0000\u0000\u0001\u0000'
const nameB = '\u0001\u0001\u0000\u0001b'

const page = (definitions: readonly number[], values: Buffer): Chunk => ({
  pages: [
    { values: definitions.length, bytes: Buffer.concat([levels(...definitions.map(level => run(1, level))), values]) },
  ],
})

test('a member in neither place is absent; one that is null is null', async () => {
  const typed: Element = { name: 'typed_value', repetition: 'optional', children: [member('a')] }
  const column: Element = {
    name: 'v',
    logical: [[16, 'struct', []]],
    children: [bytes('metadata', 'required'), bytes('value', 'optional'), typed],
  }
  const rows: { value?: string; a?: { value?: string; typed?: number }; want: string }[] = [
    { a: { typed: 5 }, want: '{"a":5}' },
    { a: {}, want: '{}' },
    { a: { value: variantNull }, want: '{"a":null}' },
    { a: {}, value: bIsNull, want: '{"b":null}' },
    { a: { typed: 7 }, value: bIsNull, want: '{"a":7,"b":null}' },
    { value: variantNull, want: 'null' },
  ]
  const names = rows.map(({ value }) => (value === bIsNull ? nameB : noNames))
  const levelsOfA = (has: (a: { value?: string; typed?: number }) => boolean): number[] =>
    rows.map(({ a }) => (a === undefined ? 0 : has(a) ? 2 : 1))
  const chunks: Chunk[] = [
    { pages: [{ values: rows.length, bytes: texts(...names) }] },
    page(
      rows.map(({ value }) => (value === undefined ? 0 : 1)),
      texts(...rows.flatMap(({ value }) => value ?? [])),
    ),
    page(
      levelsOfA(({ value }) => value !== undefined),
      texts(...rows.flatMap(({ a }) => a?.value ?? [])),
    ),
    page(
      levelsOfA(({ typed }) => typed !== undefined),
      int32s(...rows.flatMap(({ a }) => a?.typed ?? [])),
    ),
  ]
  const file = parquetFile({ columns: [column], chunks, rows: rows.length })
  expect(await readJson('x.parquet', file)).toEqual(rows.map(({ want }) => `{"v":${want}}`))
})
