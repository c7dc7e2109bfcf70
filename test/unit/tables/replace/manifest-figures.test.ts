/** What a manifest says of a column: where it leaves that open, the file may have values. */
import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { Value } from '../../../../src/formats/number.ts'
import { Members } from '../../../../src/tables/members.ts'
import { readManifestFigures } from '../../../../src/tables/replace/manifest-figures.ts'

const [date, column] = [1, 2]
const map = (...pairs: readonly (readonly [number, Value])[]): Value => pairs.map(([key, value]) => ({ key, value }))

const time = (us: bigint): Value => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(us)
  return bytes
}

const many = map(...Array.from({ length: 100 }, (_, i) => [i + 1_000, 0] as const), [date, 0])

test.each<[string, { readonly [name: string]: Value }, boolean]>([
  ['has fewer nulls than rows', { null_value_counts: map([date, 0], [column, 9]) }, true],
  ['has as many', { null_value_counts: map([date, 0], [column, 10]) }, false],
  ['has as many, as an integer of 64 bits', { null_value_counts: map([date, 0], [column, 10n]) }, false],
  ['lacks the column', { null_value_counts: map([date, 0]) }, false],
  ['has counts of so many columns that further ones may have none', { null_value_counts: many }, true],
  ['has no count of its date', { null_value_counts: map([7, 0]) }, true],
  ['has no counts', { null_value_counts: null }, true],
  ['has none either', {}, true],
])('of a file that %s', (_, json, hasValues) => {
  const file = new Members({ record_count: 10, ...json }, 'a manifest')
  expect(readManifestFigures(file, date, column).hasValues).toBe(hasValues)
})

test.each<[string, { readonly [name: string]: Value }, unknown]>([
  ['both', { lower_bounds: map([date, time(-5n)]), upper_bounds: map([date, time(7n)]) }, { from: -5, to: 7 }],
  ['the first', { lower_bounds: map([date, time(5n)]) }, undefined],
  ['another column', { lower_bounds: map([7, time(5n)]), upper_bounds: map([7, time(7n)]) }, undefined],
  ['four bytes', { lower_bounds: map([date, Buffer.alloc(4)]), upper_bounds: map([date, Buffer.alloc(4)]) }, undefined],
])('dates of a file whose bounds are of %s', (_, json, dates) => {
  expect(readManifestFigures(new Members({ record_count: 10, ...json }, 'a manifest'), date, column).dates).toEqual(
    dates,
  )
})

test('nothing is read where nothing is asked for', () => {
  const file = new Members({}, 'a manifest')
  expect(readManifestFigures(file, date, undefined)).toEqual({ dates: undefined, hasValues: false })
})
