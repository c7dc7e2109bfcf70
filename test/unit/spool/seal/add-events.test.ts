import { expect, test } from 'vitest'
import { type DecodedEvent, decodeEvents } from '../../../../src/spool/events/decode-events.ts'
import { addEvents } from '../../../../src/spool/seal/add-events.ts'
import type { Buckets } from '../../../../src/spool/seal/buckets.ts'
import type { KeptBatch } from '../../../../src/spool/segment/record.ts'
import { jsonBatch, startMs } from '../../../suites/spool.ts'

const batch: KeptBatch = { ...jsonBatch([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]), keptAt: startMs }

/** Takes all events but those, and notes when it may write. */
const createFake = (refused: readonly number[]) => {
  const added: number[] = []
  let packed = 0
  const add = ({ head }: DecodedEvent): void => {
    if (refused.includes(head.index)) throw new Error('not taken')
    added.push(head.index)
  }
  const buckets: Buckets = {
    takesIds: false,
    isReadyFor: () => true,
    prepare: async () => {},
    add,
    packFull: () => {
      packed++
    },
    values: () => [],
  }
  return { buckets, added, packed: () => packed }
}

test('all events of a batch are added, and after each there may be something to write', () => {
  const { buckets, added, packed } = createFake([])
  expect(addEvents(decodeEvents, batch, buckets, 0)).toBeUndefined()
  expect([added, packed()]).toEqual([[0, 1, 2, 3], 4])
})

test('an event that is not taken takes no other one along', () => {
  const { buckets, added } = createFake([1, 3])
  expect(addEvents(decodeEvents, batch, buckets, 0)).toEqual({ events: 2, reason: 'Event 3: not taken' })
  expect(added).toEqual([0, 2])
})

test('behind an event that cannot be read none is', () => {
  const { buckets, added } = createFake([0])
  const short = { ...batch, events: batch.events.map(head => ({ ...head, index: head.index < 2 ? head.index : 7 })) }
  expect(addEvents(decodeEvents, short, buckets, 0)).toEqual({
    events: 3,
    reason: expect.stringContaining('event 7 is not in the body'),
  })
  expect(added).toEqual([1])
})

test('what fails while something is written is not the fault of an event', () => {
  const { buckets } = createFake([])
  const failing: Buckets = {
    ...buckets,
    packFull: () => {
      throw new Error('no memory')
    },
  }
  expect(() => addEvents(decodeEvents, batch, failing, 0)).toThrow('no memory')
})
