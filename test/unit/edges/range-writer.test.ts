import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RangeMessage } from '../../../src/edges/event-messages.ts'
import { createRangeWriter } from '../../../src/edges/range-writer.ts'
import type { Batch } from '../../../src/spool/batch.ts'
import { readFramedBatches } from '../../../src/spool/segment/framed-batches.ts'

const batchOf = (caller: string | undefined, receivedAt: number | undefined, bytes: number): Batch => ({
  api: 'POST_Json_API',
  caller,
  receivedAt,
  format: 'json',
  events: [{ index: 0, name: 'A', date: 1, granularity: 'HOURLY' }],
  body: new Uint8Array(bytes).fill(bytes % 251),
})

const nothingElse = { traceparent: undefined, misfits: [] }
const nobody = { done: () => {}, failed: () => {} }

/** The desk's side: memories by their numbers. */
const createReader = () => {
  const memories = new Map<number, SharedArrayBuffer>()
  return ({ memory, buffer = memories.get(memory), from, to, callers, receivedAt }: RangeMessage): Batch[] => {
    if (buffer === undefined) throw new Error(`Memory ${memory} is not known`)
    memories.set(memory, buffer)
    const facts = { callers: new Map(callers), receivedAt: new Map(receivedAt) }
    return readFramedBatches(new Uint8Array(buffer, from, to - from), facts).map(({ batch }) => batch)
  }
}

/** Two names with one CRC-32. */
const twins = ['plumless', 'buckeroo'] as const

describe('createRangeWriter', () => {
  test('callers with one number are in ranges of their own', () => {
    const writer = createRangeWriter(new Uint8Array(8), () => {})
    for (const caller of [twins[0], 'x', twins[1], undefined, twins[1]])
      writer.add(batchOf(caller, 1, 10), 1, nothingElse, nobody)
    const read = createReader()
    const ranges = writer.take().map(({ message }) => read(message).map(({ caller }) => caller))
    expect(ranges).toEqual([
      [twins[0], 'x'],
      [twins[1], undefined, twins[1]],
    ])
  })

  test('a range says what its frames do not', () => {
    const writer = createRangeWriter(new Uint8Array(8), () => {})
    writer.add(batchOf('a', 5, 10), 5, nothingElse, nobody)
    writer.add(batchOf('a', 4, 10), 5, { traceparent: 'trace', misfits: ['A'] }, nobody)
    expect(writer.take().map(({ message }) => message)).toMatchObject([
      {
        count: 2,
        events: [['POST_Json_API', 2]],
        receivedAt: [[1, 4]],
        traceparents: [[1, 'trace']],
        misfits: [[1, ['A']]],
      },
    ])
    expect(writer.take()).toEqual([])
  })

  test('bytes that were handed over are not written before they are free, whatever the order', async () => {
    const step = fc.record({
      bytes: fc.oneof(
        { weight: 6, arbitrary: fc.nat(300) },
        { weight: 1, arbitrary: fc.integer({ min: 100_000, max: 700_000 }) },
        { weight: 1, arbitrary: fc.integer({ min: 1 << 20, max: 3 << 19 }) },
      ),
      takes: fc.boolean(),
      frees: fc.nat(4),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async steps => {
        let turnsLeft = 0
        const writer = createRangeWriter(new Uint8Array(8), () => turnsLeft--)
        const read = createReader()
        const away: { message: RangeMessage; wanted: number[] }[] = []
        const added: number[] = []
        const found: number[] = []
        const take = (): void => {
          for (const { message } of writer.take()) {
            const wanted = read(message).map(({ body }) => body.length)
            found.push(...wanted)
            away.push({ message, wanted })
          }
        }
        for (const { bytes, takes, frees } of steps) {
          added.push(bytes)
          if (bytes > 1 << 20) turnsLeft++
          writer.add(batchOf('a', 1, bytes), 1, nothingElse, nobody)
          if (takes) take()
          if (frees >= away.length) continue
          const [freed] = away.splice(frees, 1)
          if (freed !== undefined) writer.free(freed.message)
        }
        while (turnsLeft > 0) await new Promise(resolve => setImmediate(resolve))
        take()
        expect(found.toSorted((a, b) => a - b)).toEqual(added.toSorted((a, b) => a - b))
        for (const { message, wanted } of away) {
          const batches = read(message)
          expect(batches.map(({ body }) => body.length)).toEqual(wanted)
          for (const { body } of batches)
            expect(Buffer.compare(body, Buffer.alloc(body.length, body.length % 251))).toBe(0)
        }
      }),
      { numRuns: 50 },
    )
  })

  test('few memories are kept, and the desk gets all others', () => {
    const writer = createRangeWriter(new Uint8Array(8), () => {})
    for (let i = 0; i < 20; i++) writer.add(batchOf('a', 1, 900_000), 1, nothingElse, nobody)
    const ranges = writer.take().map(({ message }) => message)
    expect(new Set(ranges.map(({ memory }) => memory)).size).toBe(20)
    for (const range of ranges) writer.free(range)
    expect(writer.takeDropped()).toHaveLength(11)
    expect(writer.takeDropped()).toEqual([])
  })
})
