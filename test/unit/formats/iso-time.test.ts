import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toDays, toIsoDate, toIsoTimeOfDay, toIsoTimestamp } from '../../../src/formats/iso-time.ts'

const msPerDay = 86_400_000

describe('dates and times as ISO text', () => {
  test('are what a Date writes, as far as it goes', () => {
    fc.assert(
      fc.property(fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }), ms => {
        const iso = new Date(ms).toISOString()
        expect(toIsoTimestamp(ms, 3)).toBe(iso)
        expect(toIsoTimestamp(BigInt(ms) * 1_000_000n + 7n, 9)).toBe(iso.replace('Z', '000007Z'))
        expect(toIsoDate(Math.floor(ms / msPerDay))).toBe(iso.slice(0, iso.indexOf('T')))
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    [toIsoDate(2 ** 31 - 1), '+5881580-07-11'],
    [toIsoDate(-(2 ** 31)), '-5877641-06-23'],
    [toIsoTimestamp(2n ** 63n - 1n, 3), '+292278994-08-17T07:12:55.807Z'],
    [toIsoTimestamp(-(2n ** 63n), 6), '-290308-12-21T19:59:05.224192Z'],
    [toIsoTimestamp(2n ** 63n - 1n, 9), '2262-04-11T23:47:16.854775807Z'],
    [toIsoTimestamp(-1, 6), '1969-12-31T23:59:59.999999Z'],
    [toIsoTimestamp(Number.MIN_SAFE_INTEGER, 6), '1684-07-28T00:12:25.259009Z'],
    [toIsoTimeOfDay(0, 3), '00:00:00.000'],
    [toIsoTimeOfDay(86_399_999_999_999n, 9), '23:59:59.999999999'],
    [toIsoTimeOfDay(86_400_000, 3), undefined],
    [toIsoTimeOfDay(-1, 6), undefined],
  ])('%s', (found, want) => expect(found).toBe(want))

  test('name their day, whatever the year', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), days => {
        const [, year, month, day] = /^([+-]?\d+)-(\d\d)-(\d\d)$/.exec(toIsoDate(days)) ?? []
        expect(toDays(Number(year), Number(month), Number(day))).toBe(days)
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    [2023, 2, 29],
    [1900, 2, 29],
    [2024, 4, 31],
    [2024, 13, 1],
    [2024, 0, 1],
    [2024, 1, 0],
  ])('%i-%i-%i is no day', (...day) => expect(toDays(...day)).toBeUndefined())
})
