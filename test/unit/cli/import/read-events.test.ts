import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closeCut } from '../../../../admin/cli/import/close-cut.ts'
import { formatOf, readOldEvents } from '../../../../admin/cli/import/read-events.ts'
import { decodeEvents } from '../../../../src/spool/events/decode-events.ts'

const seeds = [
  ['smile', readFileSync('test/fixtures/smile/spool-sample5.smile')],
  ['json', readFileSync('test/fixtures/smile/spool-sample5.json')],
  ['thrift', readFileSync('test/fixtures/thrift/spool-2fuu.thrift')],
] as const

const defaults = { eventName: 'Default', createdAt: 1_304_459_794_698 }

/** Reads all, and checks what it gives: each batch holds the events that its heads name. */
const read = (bytes: Uint8Array, format: 'smile' | 'json' | 'thrift') => {
  let events = 0
  let unreadable = 0
  for (const item of readOldEvents(bytes, format, defaults)) {
    if (item.kind === 'unreadable') unreadable++
    else {
      expect([...decodeEvents(item.batch)]).toHaveLength(item.batch.events.length)
      events += item.batch.events.length
    }
  }
  return { events, unreadable }
}

describe.each(seeds)('%s', (format, seed) => {
  test('is known by its content or its name, and read whole', () => {
    expect(formatOf(seed, format)).toBe(format)
    const { events, unreadable } = read(seed, format)
    expect(events).toBeGreaterThanOrEqual(2)
    expect(unreadable).toBe(0)
  })

  test('cut anywhere: never more events than there were, and no error but a told one', () => {
    const whole = read(seed, format).events
    for (let length = 0; length < seed.length; length++) {
      const { events } = read(closeCut(seed.subarray(0, length), format), format)
      expect(events, `${length} bytes`).toBeLessThanOrEqual(whole)
    }
  })

  test('any damage ends in events and told stretches', () => {
    const edit = fc.tuple(fc.nat(seed.length - 1), fc.nat(255))
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 8 }), edits => {
        const bytes = Uint8Array.from(seed)
        for (const [at, value] of edits) bytes[at] = value
        read(closeCut(bytes, format), format)
      }),
      { numRuns: 500 },
    )
  })

  test('random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), bytes => void read(bytes, format)))
  })
})
