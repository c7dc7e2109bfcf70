import { describe, expect, test } from 'vitest'
import { Decimal, Float32, Float64, type Value } from '../../../../src/formats/number.ts'
import { type ColumnValue, toColumnValue } from '../../../../src/formats/parquet/column-value.ts'
import { describeKind, type Kind, parseKind, toJsonValue } from '../../../../src/formats/parquet/kind.ts'

const odd = 2n ** 53n + 1n
const bytes = Uint8Array.of(1)
const struct: Kind = {
  struct: new Map<string, Kind>([
    ['a', 'integer'],
    ['10', 'text'],
  ]),
}

describe('a value for a column', () => {
  test.each<[Kind, Value, ColumnValue | undefined]>([
    ['integer', 1, 1],
    ['integer', -(2n ** 63n), -(2n ** 63n)],
    ['integer', 2n ** 63n, undefined],
    ['integer', new Float64(7), 7],
    ['integer', new Float64(-0), undefined],
    ['integer', new Float64(2 ** 63), undefined],
    ['integer', new Float64(Number.POSITIVE_INFINITY), undefined],
    ['integer', 0.5, undefined],
    ['integer', '1', undefined],
    ['integer', true, undefined],
    ['double', 0.5, 0.5],
    ['double', 1, 1],
    ['double', 2n ** 60n, 2 ** 60],
    ['double', odd, undefined],
    ['double', 10n ** 400n, undefined],
    ['double', new Float64(-0), -0],
    ['double', new Float32(0.1), Math.fround(0.1)],
    ['double', Number.NaN, Number.NaN],
    ['double', new Decimal(1n, 1), undefined],
    ['double', '0.5', undefined],
    ['digits', odd, '9007199254740993'],
    ['digits', 0.5, '0.5'],
    ['digits', new Float64(1), '1.0'],
    ['digits', new Decimal(12345678901234567890n, 10), '1234567890.1234567890'],
    ['digits', Number.NaN, undefined],
    ['digits', '1', undefined],
    ['boolean', false, false],
    ['boolean', 0, undefined],
    ['text', '', ''],
    ['text', 1, undefined],
    ['bytes', bytes, bytes],
    ['bytes', 'AQ==', undefined],
    ['timestamp', 1_767_323_045_000, 1_767_323_045_000],
    ['timestamp', '2026-01-02T03:04:05.000Z', 1_767_323_045_000],
    ['timestamp', '2026-01-02T03:04:05Z', undefined],
    ['timestamp', '2026-01-02', undefined],
    ['timestamp', 'soon', undefined],
    ['json', { a: [1, odd] }, '{"a":[1,9007199254740993]}'],
    ['json', 'x', '"x"'],
    [{ list: 'integer' }, [1, null], [1, null]],
    [{ list: 'integer' }, [1, 'x'], undefined],
    [{ list: 'integer' }, 1, undefined],
    [struct, {}, {}],
    [struct, { a: 1, '\u000010': 'x' }, { a: 1, '10': 'x' }],
    [struct, { a: 1, b: null }, { a: 1 }],
    [struct, { a: 1, b: 2 }, undefined],
    [struct, { a: 'x' }, undefined],
    [struct, [1], undefined],
  ])('%j takes %s', (kind, value, expected) => {
    const found = toColumnValue(kind, value)
    if (expected === undefined || typeof expected !== 'object') expect(found).toBe(expected)
    else expect(found).toEqual(expected)
    expect(toColumnValue(kind, null)).toBeNull()
  })

  test('a member that is missing is null, whatever objects have by themselves', () => {
    const value = toColumnValue({ struct: new Map([['constructor', 'text']]) }, {})
    expect(Object.getPrototypeOf(value)).toBeNull()
  })
})

describe('a kind', () => {
  const kind: Kind = {
    list: {
      struct: new Map<string, Kind>([
        ['a', 'integer'],
        ['b', { list: 'json' }],
      ]),
    },
  }

  test('is the same after it was JSON', () => {
    expect(parseKind(JSON.parse(JSON.stringify(toJsonValue(kind))))).toEqual(kind)
  })

  test('in words', () => {
    expect(describeKind(kind)).toBe('LIST<STRUCT<a INT64, b LIST<JSON>>>')
  })

  test.each([
    null,
    1,
    'colour',
    [],
    {},
    { struct: {} },
    { struct: [['a']] },
    { struct: [[1, 'text']] },
    { list: null },
  ])('%j is none', value => {
    expect(() => parseKind(value)).toThrow(TypeError)
  })
})
