import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { granularities } from '../../../src/spool/batch.ts'
import {
  bucketKey,
  bucketPath,
  bucketPeriod,
  checkEventName,
  encodeEventName,
  isSameBucket,
  maxEventDate,
  parseGranularity,
} from '../../../src/spool/bucket.ts'

const at = Date.UTC(2010, 9, 1, 7, 12, 11)

describe('bucketPath', () => {
  test.each([
    ['MINUTE', 'fuu/2010/10/01/07/12', 'fuu/dt=2010-10-01/hour=07'],
    ['HOURLY', 'fuu/2010/10/01/07', 'fuu/dt=2010-10-01/hour=07'],
    ['DAILY', 'fuu/2010/10/01', 'fuu/dt=2010-10-01/hour=00'],
    // The predecessor took the day of the event; ours is the Monday of its ISO week.
    ['WEEKLY', 'fuu/2010/09/27', 'fuu/dt=2010-09-27/hour=00'],
    ['MONTHLY', 'fuu/2010/10', 'fuu/dt=2010-10-01/hour=00'],
    ['YEARLY', 'fuu/2010', 'fuu/dt=2010-01-01/hour=00'],
  ] as const)('%s is %s, or %s', (granularity, dated, hive) => {
    expect(bucketPath({ name: 'fuu', date: at, granularity }, 'dated')).toBe(dated)
    expect(bucketPath({ name: 'fuu', date: at, granularity }, 'hive')).toBe(hive)
  })

  test.each([
    ['1970-01-01T00:00:00.000Z', 'MINUTE', '1970/01/01/00/00', 'dt=1970-01-01/hour=00'],
    ['9999-12-31T23:59:59.999Z', 'MINUTE', '9999/12/31/23/59', 'dt=9999-12-31/hour=23'],
    ['9999-12-31T23:59:59.999Z', 'MONTHLY', '9999/12', 'dt=9999-12-01/hour=00'],
    ['2024-02-29T23:59:59.999Z', 'DAILY', '2024/02/29', 'dt=2024-02-29/hour=00'],
  ] as const)('%s, %s, is %s, or %s', (date, granularity, dated, hive) => {
    expect(bucketPath({ name: '_a b', date: Date.parse(date), granularity }, 'dated')).toBe(`%5Fa%20b/${dated}`)
    expect(bucketPath({ name: '_a b', date: Date.parse(date), granularity }, 'hive')).toBe(`%5Fa%20b/${hive}`)
  })

  test.each([
    ['1970-01-01T00:00:00Z', '1969/12/29'],
    ['2009-01-02T03:04:05Z', '2008/12/29'],
    ['2024-12-30T00:00:00Z', '2024/12/30'],
    ['2025-01-05T23:59:59Z', '2024/12/30'],
    ['9999-12-31T23:59:59Z', '9999/12/27'],
  ])('the week of %s begins on %s', (date, want) => {
    const head = { name: 'w', date: Date.parse(date), granularity: 'WEEKLY' } as const
    expect(bucketPath(head, 'dated')).toBe(`w/${want}`)
    expect(bucketPath(head, 'hive')).toBe(`w/dt=${want.replaceAll('/', '-')}/hour=00`)
  })

  test('two dates have one period exactly when they have one path', () => {
    const date = fc.nat(maxEventDate)
    fc.assert(
      fc.property(date, date, fc.nat(90_000_000), fc.constantFrom(...granularities), (a, far, step, granularity) => {
        for (const b of [far, Math.min(a + step, maxEventDate)]) {
          const samePath =
            bucketPath({ name: 'e', date: a, granularity }, 'dated') ===
            bucketPath({ name: 'e', date: b, granularity }, 'dated')
          expect(bucketPeriod(a, granularity) === bucketPeriod(b, granularity)).toBe(samePath)
        }
      }),
    )
  })

  test('two events share a bucket exactly when they have one key', () => {
    const head = fc.record({
      name: fc.constantFrom('a', 'b'),
      granularity: fc.constantFrom(...granularities),
      date: fc.constantFrom(0, 1, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, 400 * 86_400_000, maxEventDate),
    })
    fc.assert(
      fc.property(head, head, (a, b) => {
        expect(isSameBucket(a, b)).toBe(bucketKey('smile', a) === bucketKey('smile', b))
      }),
    )
  })
})

describe('event names', () => {
  test.each([
    ['FuuEvent', 'FuuEvent'],
    ['aaa-bbb.ccc_1', 'aaa-bbb.ccc_1'],
    ['..', '%2E.'],
    ['.hidden', '%2Ehidden'],
    ['_tmp', '%5Ftmp'],
    ['a b', 'a%20b'],
    ['%41', '%2541'],
    ['été', '%C3%A9t%C3%A9'],
  ])('%s is %s in a path', (name, want) => {
    expect(encodeEventName(name)).toBe(want)
    checkEventName(name)
  })

  test.each([
    ['', 'is empty'],
    ['a/b', 'U+002F at character 1'],
    ['..\\x', 'U+005C at character 2'],
    ['a\0', 'U+0000'],
    ['a\nb', 'U+000A'],
    ['\u0085', 'U+0085'],
    ['\ud800', 'surrogate'],
    ['x'.repeat(256), '256 bytes'],
    ['é'.repeat(43), '258 bytes'],
  ])('%j is refused', (name, why) => {
    expect(() => checkEventName(name)).toThrow(why)
  })

  test('S4: no accepted name can leave its directory or hide', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), name => {
        try {
          checkEventName(name)
        } catch {
          return
        }
        expect(encodeEventName(name)).toMatch(/^[A-Za-z0-9%-][A-Za-z0-9.\-_%]{0,254}$/)
      }),
    )
  })

  test('two names never share a directory', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary', minLength: 1 }), (a, b) => {
        if (a !== b && a.isWellFormed() && b.isWellFormed()) expect(encodeEventName(a)).not.toBe(encodeEventName(b))
      }),
    )
  })
})

test.each([
  ['HOURLY', 'HOURLY'],
  ['daily', 'DAILY'],
  ['Minute', 'MINUTE'],
  ['MINUTELY', undefined],
  ['', undefined],
])('parseGranularity takes %s for %s', (text, want) => {
  expect(parseGranularity(text)).toBe(want)
})
