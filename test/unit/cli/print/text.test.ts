import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toSparkline } from '../../../../admin/cli/print/sparkline.ts'
import { type Column, drawTable } from '../../../../admin/cli/print/table.ts'
import { textWidth, toSafeText, truncate, wrap } from '../../../../admin/cli/print/text-width.ts'
import { toShownJson } from '../../../../admin/cli/print/to-json.ts'
import { plural, toBytes, toClock, toCount, toMs, toRate, toTimeSpan } from '../../../../admin/cli/print/units.ts'

describe('textWidth', () => {
  test.each([
    ['', 0],
    ['abc', 3],
    ['äöü', 3],
    ['日本', 4],
    ['✓', 1],
    ['😀', 2],
    ['e\u0301', 1],
    ['\u001b[31mred\u001b[39m', 3],
  ])('%j is %i columns', (text, want) => expect(textWidth(text)).toBe(want))

  test('truncate never gives more columns than asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.nat(20), (text, columns) => {
        expect(textWidth(truncate(text, columns))).toBeLessThanOrEqual(columns)
      }),
    )
  })

  test('wrap keeps every word', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrap('extraordinary a', 5)).toEqual(['extraordinary', 'a'])
    expect(wrap('', 5)).toEqual([])
  })

  test('text that would steer a terminal is shown as escapes', () => {
    expect(toSafeText('a\u001b[2Jb\u202e\tc')).toBe('a\\u001b[2Jb\\u202e c')
  })
})

describe('toTable', () => {
  type Row = { readonly name: string; readonly size: number }
  const columns: readonly Column<Row>[] = [
    { title: 'NAME', cell: row => row.name, flexible: true },
    { title: 'SIZE', cell: row => String(row.size), align: 'right' },
  ]
  const rows = [
    { name: 'short', size: 1 },
    { name: 'a-name-that-is-rather-long', size: 12_345 },
  ]

  test('aligns, and cuts nothing in a pipe', () => {
    expect(drawTable(rows, columns).split('\n')).toEqual([
      'NAME                         SIZE',
      'short                           1',
      'a-name-that-is-rather-long  12345',
    ])
  })

  test('cuts flexible columns in a narrow terminal', () => {
    expect(drawTable(rows, columns, { width: 20 }).split('\n')).toEqual([
      'NAME            SIZE',
      'short              1',
      'a-name-that-…  12345',
    ])
  })

  test('headings are shown without rows', () => expect(drawTable([], columns)).toBe('NAME  SIZE'))

  test('no line is wider than the terminal while flexible columns can give way', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ name: fc.string({ unit: 'grapheme', maxLength: 60 }), size: fc.nat() }), { maxLength: 5 }),
        fc.integer({ min: 30, max: 100 }),
        (some, width) => {
          for (const line of drawTable(some, columns, { width }).split('\n'))
            expect(textWidth(line)).toBeLessThanOrEqual(width)
        },
      ),
    )
  })
})

describe('toSparkline', () => {
  test.each([
    [[0, 1, 2, 4], 5, ' ▁▃▅█'],
    [[1, 2, 3, 4, 5, 6, 7], 5, '▄▅▆▇█'],
    [[0, 0], 6, '    ▁▁'],
    [[Number.NaN, 3], 5, '   ▁█'],
    [[1, 2, 3], 4, ''],
  ])('%j in %i columns', (values, width, want) => expect(toSparkline(values, width)).toBe(want))
})

describe('units', () => {
  test.each([
    [toBytes(0), '0 B'],
    [toBytes(999), '999 B'],
    [toBytes(1_000), '1.0 kB'],
    [toBytes(123_456_789), '123 MB'],
    [toBytes(5e15), '5.0 PB'],
    [toCount(9_999), '9999'],
    [toCount(1_234_567), '1 234 567'],
    [toRate(0), '0/s'],
    [toRate(0.123), '0.12/s'],
    [toRate(12_345.6), '12 346/s'],
    [toMs(0.417), '0.42 ms'],
    [toMs(3_210), '3.2 s'],
    [toClock(7), '0:07'],
    [toClock(3_723), '1:02:03'],
    [plural(1, 'file'), '1 file'],
    [plural(0, 'file'), '0 files'],
  ])('%s', (got, want) => expect(got).toBe(want))
})

describe('toJson', () => {
  test('integers beyond 2^53 stay exact', () => {
    expect(toShownJson({ big: 12345678901234567890n, of: new Set([1]), by: new Map([['a', 2]]) }, 0)).toBe(
      '{"big":12345678901234567890,"of":[1],"by":{"a":2}}',
    )
  })
})

test.each([
  [0.4, '0 s'],
  [59.4, '59 s'],
  [60, '1 min'],
  [3_599, '59 min 59 s'],
  [3_660, '1 h 1 min'],
  [86_400, '1 d'],
  [1_000_000, '11 d 13 h'],
])('toSpan(%d) is %s', (seconds, want) => expect(toTimeSpan(seconds)).toBe(want))
