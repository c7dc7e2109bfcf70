import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFileName, readFrames, toFileName, toFrames, toKey } from '../../../clients/tracker/spool-file.ts'

const records = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 })

describe('readFrames', () => {
  test('reads what was written', () => {
    fc.assert(
      fc.property(records, given => {
        const bytes = toFrames(given)
        const read = readFrames(bytes)
        expect(read.end).toBe(bytes.length)
        expect(read.records.map(record => [...record])).toEqual(given.map(record => [...record]))
      }),
    )
  })

  test('gives the whole frames before a cut', () => {
    fc.assert(
      fc.property(records, fc.nat(), (given, at) => {
        const whole = toFrames(given)
        const { records: read, end } = readFrames(whole.subarray(0, at % (whole.length + 1)))
        expect(read.map(record => [...record])).toEqual(given.slice(0, read.length).map(record => [...record]))
        expect(end).toBe(toFrames(given.slice(0, read.length)).length)
      }),
    )
  })

  test('stops at a byte that was changed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (given, at, change) => {
          const bytes = toFrames(given)
          const index = at % bytes.length
          bytes[index] = (bytes[index] ?? 0) ^ change
          const { records: read } = readFrames(bytes)
          expect(read.length).toBeLessThan(given.length)
          expect(read.map(record => [...record])).toEqual(given.slice(0, read.length).map(record => [...record]))
        },
      ),
    )
  })
})

describe('parseFileName', () => {
  const uuid = '6f1cf1ad-6a3e-4b5e-9d41-0f9ff6c5f7a1'

  test.each(['', '.0', '.1.0'])('reads a name back (%j)', halves => {
    const name = { number: 12, uuid, halves, form: 'smile', state: 'ready' } as const
    expect(parseFileName(toFileName(name))).toEqual(name)
    expect(toKey(name)).toBe(`${uuid}${halves}`)
  })

  test.each(['lock', 'notes.txt', `000000000001-${uuid}.smile.ready.tmp`, `1-${uuid}.smile.ready`])(
    '%s is none',
    name => {
      expect(parseFileName(name)).toBeUndefined()
    },
  )
})
