import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { apis, type Batch, bodyFormats, granularities } from '../../../src/spool/batch.ts'
import { decodeBatch, encodeBatch } from '../../../src/spool/record.ts'

const arbitraryBatch: fc.Arbitrary<Batch> = fc.record(
  {
    api: fc.constantFrom(...apis),
    format: fc.constantFrom(...bodyFormats),
    events: fc.array(
      fc.record({
        index: fc.nat(1_000_000),
        name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
        date: fc.nat(Number.MAX_SAFE_INTEGER),
        granularity: fc.constantFrom(...granularities),
      }),
      { maxLength: 20 },
    ),
    body: fc.uint8Array({ maxLength: 200 }),
    idempotency: fc.record({
      key: fc.string({ maxLength: 40 }),
      fingerprint: fc.string({ maxLength: 64 }),
      outcome: fc.record({
        accepted: fc.nat(),
        rejected: fc.nat(),
        errors: fc.array(fc.record({ index: fc.nat(), code: fc.string(), detail: fc.string() }), { maxLength: 3 }),
      }),
    }),
  },
  { requiredKeys: ['api', 'format', 'events', 'body'] },
)

const encode = (batch: Batch, keptAt: number): Uint8Array => {
  const record = encodeBatch(batch, keptAt)
  // Written behind something else, as in a group.
  const bytes = new Uint8Array(record.byteLength + 7)
  record.write(bytes, 7)
  return bytes.subarray(7)
}

describe('encodeBatch, decodeBatch', () => {
  test('every batch comes back', () => {
    fc.assert(
      fc.property(arbitraryBatch, fc.nat(), (batch, keptAt) => {
        const decoded = decodeBatch(encode(batch, keptAt))
        expect({ ...decoded, body: [...decoded.body] }).toEqual({ ...batch, keptAt, body: [...batch.body] })
      }),
    )
  })

  test('any bytes are a batch or a FormatError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), bytes => {
        try {
          decodeBatch(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('a count of events that does not fit is refused before anything is made of it', () => {
    const bytes = encode({ api: 'GET_API', format: 'thrift', events: [], body: new Uint8Array() }, 1)
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(13, 0xffff_ffff)
    expect(() => decodeBatch(bytes)).toThrow(FormatError)
  })
})
