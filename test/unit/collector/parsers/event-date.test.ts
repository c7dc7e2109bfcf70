import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDateParameter, toEventDate } from '../../../../src/collector/parsers/event-date.ts'
import { parseIsoDate } from '../../../../src/collector/parsers/iso-date.ts'
import { Decimal, Float64 } from '../../../../src/formats/number.ts'

describe('parseIsoDate', () => {
  test.each([
    ['2009', '2009-01-01T00:00:00.000Z'],
    ['2009-02', '2009-02-01T00:00:00.000Z'],
    ['2009-01-02', '2009-01-02T00:00:00.000Z'],
    ['2009-1-2', '2009-01-02T00:00:00.000Z'],
    ['2008-02-29', '2008-02-29T00:00:00.000Z'],
    ['2009-033', '2009-02-02T00:00:00.000Z'],
    ['2008-366', '2008-12-31T00:00:00.000Z'],
    ['2009-W01', '2008-12-29T00:00:00.000Z'],
    ['2009-W01-1', '2008-12-29T00:00:00.000Z'],
    ['2009-W53-7', '2010-01-03T00:00:00.000Z'],
    ['2009-01-02T', '2009-01-02T00:00:00.000Z'],
    ['2009-01-02T03', '2009-01-02T03:00:00.000Z'],
    ['2009-01-02T03.5', '2009-01-02T03:30:00.000Z'],
    ['2009-01-02T03:04', '2009-01-02T03:04:00.000Z'],
    ['2009-01-02T03:04.25', '2009-01-02T03:04:15.000Z'],
    ['2009-01-02T03:04:05', '2009-01-02T03:04:05.000Z'],
    ['2009-01-02T03:04:05.006Z', '2009-01-02T03:04:05.006Z'],
    ['2009-01-02T03:04:05,0069999', '2009-01-02T03:04:05.006Z'],
    ['2009-01-02T03:04:05.123456789123Z', '2009-01-02T03:04:05.123Z'],
    ['2009-01-02T03:04:05+02:00', '2009-01-02T01:04:05.000Z'],
    ['2009-01-02T03:04:05-0230', '2009-01-02T05:34:05.000Z'],
    ['2009-01-02T03:04:05+02', '2009-01-02T01:04:05.000Z'],
    ['2009-01-02T03:04:05+00:00:01.5', '2009-01-02T03:04:03.500Z'],
    ['2009-01-02TZ', '2009-01-02T00:00:00.000Z'],
    ['2009-01-02t03:04:05z', '2009-01-02T03:04:05.000Z'],
    ['2009-01-02t03:04:05.5+02:00', '2009-01-02T01:04:05.500Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60.5Z', '2017-01-01T00:00:00.500Z'],
    ['20090102', '2009-01-02T00:00:00.000Z'],
    ['T10:00', '1970-01-01T10:00:00.000Z'],
    ['2009-033T03:04', '2009-02-02T03:04:00.000Z'],
    ['0050-01-01', '0050-01-01T00:00:00.000Z'],
  ])('%s', (given, want) => {
    expect(new Date(parseIsoDate(given) ?? Number.NaN).toISOString()).toBe(want)
  })
  test.each([
    '',
    'T',
    'TZ',
    'now',
    '1234567890000',
    '2009-13',
    '2009-00-01',
    '2009-02-29',
    '2009-04-31',
    '2009-000',
    '2009-366',
    '2009-W00',
    '2008-W53',
    '2009-W01-8',
    '2009-01-02 03:04',
    '2009-01-02T24:00',
    '2009-01-02T03:60',
    '2009-01-02T03:04:60',
    '2009-01-02T03:04:05 02:00',
    '2009-01-02T03:04:05+25:00',
    '2009-01-02T03:04:05.000x',
    '20090230',
    '2009-01-02T03:59:61',
    '+2009-01-02',
    `2009-01-02T03:04:05.${'0'.repeat(100)}`,
  ])('%j is none', given => {
    expect(parseIsoDate(given)).toBeUndefined()
  })

  test('what `toISOString` writes is read as the same with a comma, in range or not', () => {
    const two = fc.integer({ min: 0, max: 99 }).map(number => String(number).padStart(2, '0'))
    const parts = fc.tuple(
      fc.integer({ min: 1000, max: 9999 }),
      two,
      two,
      two,
      two,
      two,
      fc.integer({ min: 100, max: 999 }),
    )
    const near = fc.tuple(
      fc.integer({ min: 1000, max: 9999 }),
      fc.constantFrom('01', '02', '04', '12'),
      fc.constantFrom('28', '29', '30', '31'),
      fc.constantFrom('00', '23', '24'),
      fc.constantFrom('00', '59'),
      fc.constantFrom('00', '59', '60'),
      fc.constant(123),
    )
    fc.assert(
      fc.property(fc.oneof(parts, near), ([year, month, day, hour, minute, second, ms]) => {
        const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`
        expect(parseIsoDate(text)).toBe(parseIsoDate(text.replace('.', ',')))
      }),
      { numRuns: 2_000 },
    )
  })
  test('reads back what Date writes', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), date => {
        expect(parseIsoDate(date.toISOString())).toBe(date.getTime())
      }),
    )
  })
})

describe('toEventDate', () => {
  test.each<[unknown, number | undefined]>([
    [1230865445006.9, 1230865445006],
    [-0.5, 0],
    [1230865445006n, 1230865445006],
    ['1230865445006', 1230865445006],
    ['1230865445006.7', 1230865445006],
    ['2009', 2009],
    ['2009-01-01', 1230768000000],
    [Date.UTC(9999, 11, 31), Date.UTC(9999, 11, 31)],
    [Date.UTC(10_000, 0, 1), undefined],
    [10n ** 30n, undefined],
    ['9'.repeat(65), undefined],
    [Number.NaN, undefined],
    [new Float64(5), undefined],
    [new Decimal(5n, 0), undefined],
    [[], undefined],
  ])('%s', (given, want) => {
    expect(toEventDate(given)).toBe(want)
  })
})

describe('parseDateParameter', () => {
  test('names what it got', () => {
    expect(() => parseDateParameter('soon')).toThrow('date is "soon"; expected an ISO 8601 date')
    expect(parseDateParameter(undefined)).toBeUndefined()
  })
})
