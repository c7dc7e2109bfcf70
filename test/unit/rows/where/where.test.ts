import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../../src/formats/json.ts'
import { Decimal, Float32, Float64, type Value } from '../../../../src/formats/number.ts'
import { toRow } from '../../../../src/rows/row.ts'
import { parseWhere } from '../../../../src/rows/where/where.ts'

const matches = (where: string, a: Value): boolean => parseWhere(where).matches({ names: ['a'], values: [a] })
const matchesJson = (where: string, json: string): boolean => {
  const value = parseJson(json)
  return parseWhere(where).matches(toRow(value as { [name: string]: Value }))
}

describe('numbers compare exactly', () => {
  test.each<[string, Value, boolean]>([
    ['a = 9007199254740993', 9007199254740993n, true],
    ['a = 9007199254740993', 9007199254740992n, false],
    ['a > 9007199254740992', 9007199254740993n, true],
    ['a >= 9007199254740994', 9007199254740993n, false],
    ['a = 0.1', 0.1, true],
    ['a = 0.1', new Float32(0.1), true],
    ['a > 0.1', new Float32(0.1), false],
    ['a = 0.1', new Decimal(10n, 2), true],
    ['a > 0.1', new Decimal(1000000000000000000001n, 22), true],
    ['a < 0.1', new Decimal(999999999999999999999n, 22), true],
    ['a = 1', new Float64(1), true],
    ['a = 1.0', 1, true],
    ['a = 0', new Float64(-0), true],
    ['a = -0.0', 0, true],
    ['a = 1e23', 100000000000000000000000n, true],
    ['a = 100000000000000000000000', new Float64(1e23), true],
    ['a > -3', -2, true],
    ['a < -3', new Decimal(-31n, 1), true],
    ['a > -3', new Decimal(-31n, 1), false],
    ['a < 1e999999999', 5, true],
    ['a > 1e999999999', Number.POSITIVE_INFINITY, true],
    ['a < -1e999999999', Number.NEGATIVE_INFINITY, true],
    ['a = 1', Number.NaN, false],
    ['a != 1', Number.NaN, true],
    ['a < 1', Number.NaN, false],
    ['a >= 1', Number.NaN, false],
    ['a < 1', new Float64(Number.NaN), false],
    ['a >= 1', new Float32(Number.NaN), false],
  ])('%s: %s %s', (where, value, want) => {
    expect(matches(where, value)).toBe(want)
  })
})

describe('a number compares with text that is one', () => {
  test.each<[string, string, boolean]>([
    ['a > 9', '10', true],
    ['a = 7', '007', true],
    ['a = 007', '7', true],
    ['a = 7', '+7', true],
    ['a = 1.5', '1.50', true],
    ['a = 9007199254740993', '9007199254740993', true],
    ['a = 9007199254740993', '9007199254740992', false],
    ['a > 0.1', '0.1000000000000000000001', true],
    ['a = 7', 'seven', false],
    ['a < 7', 'seven', false],
    ['a != 7', 'seven', true],
    ['a = 7', '7 ', false],
    ['a = 0', '', false],
    ['a = 1', '1'.padStart(401, '0'), false],
  ])('%s: %s %s', (where, value, want) => {
    expect(matches(where, value)).toBe(want)
  })

  test('but a quoted word is text', () => {
    expect(matches('a = "7"', '7')).toBe(true)
    expect(matches('a = "7"', '007')).toBe(false)
    expect(matches('a = "7"', 7)).toBe(false)
    expect(matches('a < "9"', '10')).toBe(true)
  })
})

describe('texts', () => {
  test.each<[string, Value, boolean]>([
    ['a = x', 'x', true],
    ['a = x', 'X', false],
    ['a < b', 'a', true],
    ['a < b', 'b', false],
    ['a <= b', 'b', true],
    ['a > b', 'ba', true],
    // U+FF61 comes before U+1F600, although its one unit is above those of the latter.
    ['a > \uff61', '\u{1f600}', true],
    ['a < \u{1f600}', '\uff61', true],
    ['a ~ ell', 'HELLO', true],
    ['a ~ ELL', 'hello', true],
    ['a !~ ell', 'hello', false],
    ['a !~ x', 'hello', true],
    ['a ~ ""', '', true],
    ['a = true', true, true],
    ['a = true', 'true', true],
    ['a = true', 'True', false],
    ['a = false', true, false],
    ['a = "true"', true, false],
    ['a ~ 23', 1234, true],
    ['a ~ 234', 12345678901234567890n, true],
    ['a ~ ru', true, true],
    ['a ~ x', new Uint8Array([0x78]), false],
    ['a = x', new Uint8Array([0x78]), false],
    ['a != null', new Uint8Array([0x78]), true],
    ['a = eHl6', Buffer.from('xyz'), true],
    ['a != eHl6', Buffer.from('xyz'), false],
    ['a ~ HL', Buffer.from('xyz'), true],
    ["a like 'eH%'", Buffer.from('xyz'), true],
    ['a = NaN', Number.NaN, true],
    ['a = NaN', new Float32(Number.NaN), true],
    ["a = '-Infinity'", Number.NEGATIVE_INFINITY, true],
    ['a ~ inf', new Float64(Number.POSITIVE_INFINITY), true],
    ["a = '5'", 5, false],
    ["a = '1180591620717411303424'", 2n ** 70n, false],
  ])('%s: %s %s', (where, value, want) => {
    expect(matches(where, value)).toBe(want)
  })
})

describe('times', () => {
  test.each<[string, string, boolean]>([
    ['a = 2024-05-01', '2024-05-01T00:00:00.000Z', true],
    ['a >= 2024-05-01', '2024-04-30T23:59:59.999999999Z', false],
    ['a < 2024-05-01', '2024-04-30T23:59:59.999999999Z', true],
    ['a = 2024-05-01T10:00:00Z', '2024-05-01T12:00:00+02:00', true],
    ['a = 2024-05-01T10:00:00Z', '2024-05-01T05:30:00-0430', true],
    ['a = "2024-05-01 10:00"', '2024-05-01T10:00:00Z', true],
    ['a > 2024-05-01T10:00:00.000000001Z', '2024-05-01T10:00:00.000000002Z', true],
    ['a > 2024-05-01T10:00:00.000000002Z', '2024-05-01T10:00:00.000000002Z', false],
    ['a > 1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.6Z', true],
    ['a < 0001-01-02', '0001-01-01', true],
    ['a > 9999-12-31', '+010000-01-01T00:00:00.000Z', true],
    ['a = +5881580-07-11', '+5881580-07-11', true],
    ['a < 0001-01-01', '-000044-03-15', true],
    ['a > +292278994-08-17T07:12:55.806Z', '+292278994-08-17T07:12:55.807Z', true],
    ['a = 14:39', '14:39:00.000', true],
    ['a = 14:39:17.164', '14:39:17.164000', true],
    ['a > 02:42:42', '02:42:42.000001', true],
    ['a > 02:42:42', '02:42:42.000000', false],
    // A time of day and a point in time have no order, nor has a text that is neither: in quotes both are texts.
    ['a > 10:00', '2024-05-01', false],
    ['a < 2024-05-01', '10:00', false],
    ['a > "10:00"', '2024-05-01', true],
    ['a > 2024-05-01', 'later', false],
    ['a > "2024-05-01"', 'later', true],
    ['a < 2024-05-01', '', false],
    ['a < 2024-05-01', '-', false],
    ['a between 2024-05-01 and 2024-05-31', '2024-05-1x', false],
    ['a not between 2024-05-01 and 2024-05-31', '', true],
    ['a in (2024-05-01)', '2024-05-01T00:00', true],
    ['a != 2024-05-01', '', true],
    ['a = 24:00', '24:00', true],
    // No times: texts.
    ['a = 2024-02-30', '2024-03-01', false],
    ['a = 2024-02-30', '2024-02-30', true],
    ['a < 2024-05-01T24:00', '2024-05-01T23:00', true],
  ])('%s: %s %s', (where, value, want) => {
    expect(matches(where, value)).toBe(want)
  })
})

describe('what is absent is null, and compares with nothing', () => {
  test.each<[string, string, boolean]>([
    ['a = null', '{}', true],
    ['a = null', '{"a":null}', true],
    ['a = null', '{"a":""}', false],
    ['a != null', '{"a":0}', true],
    ['a != null', '{}', false],
    ['a = 1', '{}', false],
    ['a != 1', '{}', true],
    ['a < 1', '{"a":null}', false],
    ['a ~ null', '{"a":null}', false],
    ['a.b = null', '{"a":5}', true],
    ['a.b = null', '{"a":{"b":0}}', false],
    ['a.toString = null', '{"a":{}}', true],
    ['a.__proto__ = null', '{"a":{}}', true],
    ['a.__proto__ = 1', '{"a":{"__proto__":1}}', true],
    ['a.10 = 1', '{"a":{"10":1}}', true],
  ])('%s: %s %s', (where, json, want) => {
    if (where === 'a ~ null') expect(() => parseWhere(where)).toThrow('before null')
    else expect(matchesJson(where, json)).toBe(want)
  })
})

describe('paths go through objects, and of an array one element is enough', () => {
  test.each<[string, string, boolean]>([
    ['a.b.c = 1', '{"a":{"b":{"c":1}}}', true],
    ['a.b = 1', '{"a":{"b":{"c":1}}}', false],
    ['a = 2', '{"a":[1,2]}', true],
    ['a = 3', '{"a":[1,2]}', false],
    ['a != 2', '{"a":[1,2]}', false],
    ['a = 2', '{"a":[[1],[2]]}', true],
    ['a.b > 4', '{"a":[{"b":1},{"b":5}]}', true],
    ['a.b > 5', '{"a":[{"b":1},{"b":5}]}', false],
    ['a = null', '{"a":[]}', false],
    ['a.b = null', '{"a":[]}', true],
    ['a.b != null', '{"a":[]}', false],
    ['a.b = null', '{"a":[{"b":1},{}]}', true],
    ['a ~ x', '{"a":{"b":["y","zXz"]}}', true],
    ['a ~ b', '{"a":{"b":["y"]}}', false],
    ['"a.b" = 1', '{"a.b":1}', true],
    ['a.b = 1', '{"a.b":1}', false],
  ])('%s: %s %s', (where, json, want) => {
    expect(matchesJson(where, json)).toBe(want)
  })
})

describe('and, or, not', () => {
  test.each<[string, boolean]>([
    ['a = 1 and b = 2', true],
    ['a = 1 and b = 3', false],
    ['a = 3 or b = 2', true],
    ['a = 3 or b = 3', false],
    ['not a = 3', true],
    ['not (a = 1 and b = 2)', false],
    ['a = 3 and b = 3 or a = 1', true],
    ['a = 3 and (b = 3 or a = 1)', false],
  ])('%s %s', (where, want) => {
    expect(matchesJson(where, '{"a":1,"b":2}')).toBe(want)
  })
})

test('parseWhere finds columns in rows of changing shape, and of equal names the last', () => {
  const where = parseWhere('a = 1')
  expect(where.matches({ names: ['a', 'b'], values: [1, 2] })).toBe(true)
  expect(where.matches({ names: ['b', 'a'], values: [1, 2] })).toBe(false)
  expect(where.matches({ names: ['b'], values: [1] })).toBe(false)
  expect(where.matches({ names: ['a', 'a'], values: [2, 1] })).toBe(true)
  expect(where.matches({ names: ['a', 'b'], values: [1] })).toBe(true)
})

test('parseWhere tells the columns that it looks at, each once', () => {
  expect(parseWhere('a.x = 1 and (b = 2 or not a = 3)').columns).toEqual(['a', 'b'])
})
