import { appendFileSync, copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SpoolFull, SpoolInUse } from '../../../clients/tracker/index.ts'
import { busy, createFakeSender, makeDirectory, openTracker, settled } from './world.ts'

const events = (count: number): string[] => Array.from({ length: count }, (_, index) => `event ${index}`)

describe('createTracker', () => {
  test('sends what was tracked, in order and in batches', async () => {
    const { sender, sent } = createFakeSender()
    const { tracker } = await openTracker({ sender, directory: makeDirectory(), maxBatchEvents: 4 })
    for (const event of events(10)) await tracker.track(event)
    expect(await tracker.flush()).toMatchObject({ tracked: 10, accepted: 10, waitingBatches: 0, waitingBytes: 0 })
    expect(sent.map(({ events: batch }) => batch.length)).toEqual([4, 4, 2])
    expect(sent.flatMap(batch => batch.events)).toEqual(events(10))
    expect(new Set(sent.map(({ key }) => key)).size).toBe(3)
  })

  test('takes many at once', async () => {
    const { sender, sent } = createFakeSender()
    const { tracker } = await openTracker({ sender, directory: makeDirectory(), maxBatchEvents: 100 })
    await Promise.all(events(1_000).map(event => tracker.track(event)))
    await tracker.flush()
    expect(sent.flatMap(batch => batch.events)).toEqual(events(1_000))
    expect(Math.max(...sent.map(batch => batch.events.length))).toBeLessThanOrEqual(100)
  })

  test('closes a batch by its age', async () => {
    const sending = Promise.withResolvers<void>()
    const { sender, sent } = createFakeSender(() => {
      sending.resolve()
      return settled
    })
    const { tracker, timers } = await openTracker({ sender, directory: makeDirectory(), maxBatchAgeMs: 250 })
    await tracker.track('a')
    expect(timers.waiting()).toEqual([250])
    timers.fire()
    await sending.promise
    expect(sent.map(batch => batch.events)).toEqual([['a']])
  })

  test('retries with the same key, each time after a longer pause', async () => {
    const { sender, sent } = createFakeSender(busy, { ...busy, afterMs: 5_000 }, busy)
    const { tracker, errors, timers } = await openTracker({ sender, directory: makeDirectory() })
    await tracker.track('a')
    const pauses: number[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      await tracker.flush()
      pauses.push(...timers.waiting())
    }
    expect(pauses).toEqual([500, 5_000, 2_000])
    expect(await tracker.flush()).toMatchObject({ accepted: 1, retries: 3, waitingBatches: 0 })
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
    expect(errors).toEqual(['busy', 'busy', 'busy'])
  })

  test('the pause ends by itself', async () => {
    const again = Promise.withResolvers<void>()
    const { sender } = createFakeSender(busy, () => {
      again.resolve()
      return settled
    })
    const { tracker, timers } = await openTracker({ sender, directory: makeDirectory() })
    await tracker.track('a')
    await tracker.flush()
    timers.fire()
    await again.promise
    expect(await tracker.flush()).toMatchObject({ accepted: 1, waitingBatches: 0 })
  })

  test('tells which events were rejected, and takes the others for accepted', async () => {
    const { sender } = createFakeSender({
      kind: 'settled',
      rejected: [{ index: 1, code: 'bad-event', detail: 'why' }],
      unlisted: 2,
    })
    const { tracker, rejected } = await openTracker({ sender, directory: makeDirectory() })
    for (const event of events(5)) await tracker.track(event)
    expect(await tracker.flush()).toMatchObject({ accepted: 2, rejected: 3, waitingBatches: 0 })
    expect(rejected).toEqual([
      { event: 'event 1', count: 1, code: 'bad-event', detail: 'why' },
      { event: undefined, count: 2, code: 'unlisted', detail: expect.any(String) },
    ])
  })

  test('a refused batch is reported event by event, and the next one is sent', async () => {
    const { sender, sent } = createFakeSender({ kind: 'refused', code: 'bad-event', detail: 'why' })
    const { tracker, rejected } = await openTracker({ sender, directory: makeDirectory(), maxBatchEvents: 2 })
    for (const event of events(3)) await tracker.track(event)
    expect(await tracker.flush()).toMatchObject({ accepted: 1, rejected: 2 })
    expect(rejected.map(({ event }) => event)).toEqual(['event 0', 'event 1'])
    expect(sent).toHaveLength(2)
  })

  test('a callback that throws costs nothing but its error', async () => {
    const { sender } = createFakeSender({ kind: 'refused', code: 'x', detail: '' })
    const onRejected = (): void => {
      throw new Error('callback')
    }
    const { tracker, errors } = await openTracker({ sender, directory: makeDirectory(), onRejected })
    await tracker.track('a')
    expect(await tracker.flush()).toMatchObject({ rejected: 1, waitingBatches: 0 })
    expect(errors).toEqual(['callback'])
  })

  test('halves a batch that is too large, down to the event that is', async () => {
    const { sender, sent } = createFakeSender()
    const limited = {
      ...sender,
      send: async (...[records, attempt]: Parameters<typeof sender.send>) => {
        await sender.send(records, attempt)
        const isHuge = records.some(record => Buffer.from(record).toString() === 'huge')
        return records.length > 2 || isHuge ? ({ kind: 'too-large' } as const) : settled
      },
    }
    const { tracker, rejected } = await openTracker({ sender: limited, directory: makeDirectory() })
    for (const event of ['a', 'b', 'c', 'huge', 'd']) await tracker.track(event)
    expect(await tracker.flush()).toMatchObject({ accepted: 4, rejected: 1, waitingBatches: 0, waitingBytes: 0 })
    expect(rejected).toMatchObject([{ event: 'huge', code: 'too-large' }])
    expect(new Set(sent.map(({ key }) => key)).size).toBe(sent.length)
  })

  test('does not send twice what a sender without keys has settled', async () => {
    const partly = { ...busy, done: 2, rejected: [{ index: 0, code: 'bad-event', detail: '' }] }
    const { sender, sent } = createFakeSender(partly)
    const { tracker, rejected } = await openTracker({ sender, directory: makeDirectory() })
    for (const event of events(3)) await tracker.track(event)
    await tracker.flush()
    expect(await tracker.flush()).toMatchObject({ accepted: 2, rejected: 1, waitingBatches: 0 })
    expect(sent.map(({ from }) => from)).toEqual([0, 2])
    expect(rejected).toHaveLength(1)
  })

  test('refuses what does not fit, and takes it again when there is room', async () => {
    const { sender } = createFakeSender()
    const { tracker } = await openTracker({ sender, directory: makeDirectory(), maxSpoolBytes: 40 })
    await tracker.track('x'.repeat(20))
    await expect(tracker.track('x'.repeat(20))).rejects.toThrow(SpoolFull)
    await tracker.flush()
    await expect(tracker.track('x'.repeat(20))).resolves.toBeUndefined()
  })

  test('holds little in memory while the disk is slow', async () => {
    const { sender } = createFakeSender()
    const { tracker } = await openTracker({ sender, directory: makeDirectory(), durability: 'written' })
    const large = 'x'.repeat(1_000_000)
    const outcomes = await Promise.allSettled(Array.from({ length: 80 }, () => tracker.track(large)))
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    expect(refused.map(outcome => (outcome.reason as Error).name)).toEqual(
      Array.from({ length: 13 }, () => 'SpoolFull'),
    )
    expect(await tracker.flush()).toMatchObject({ accepted: 67, waitingBytes: 0 })
  })

  test('what cannot be sent leaves the others alone', async () => {
    const { sender, sent } = createFakeSender()
    const { tracker } = await openTracker({ sender, directory: makeDirectory(), maxEventBytes: 10 })
    await tracker.track('a')
    await expect(tracker.track('unwritable')).rejects.toThrow(TypeError)
    await expect(tracker.track('x'.repeat(11))).rejects.toThrow(RangeError)
    await tracker.track('b')
    expect(await tracker.flush()).toMatchObject({ tracked: 2, accepted: 2 })
    expect(sent.map(batch => batch.events)).toEqual([['a', 'b']])
  })

  test('close sends the rest, and refuses what comes later', async () => {
    const { sender, sent } = createFakeSender()
    const { tracker } = await openTracker({ sender, directory: makeDirectory() })
    await tracker.track('a')
    expect(await tracker.close()).toMatchObject({ accepted: 1, waitingBatches: 0 })
    expect(sent).toHaveLength(1)
    await expect(tracker.track('b')).rejects.toThrow('closed')
  })

  test('close gives up a server that does not answer, and keeps the events', async () => {
    const directory = makeDirectory()
    const asked = Promise.withResolvers<void>()
    const { sender } = createFakeSender(async (_events, signal) => {
      asked.resolve()
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      return busy
    })
    const { tracker, timers } = await openTracker({ sender, directory })
    await tracker.track('a')
    const closed = tracker.close()
    await asked.promise
    timers.fire()
    expect(await closed).toMatchObject({ accepted: 0, waitingBatches: 1 })
    const next = await openTracker({ ...createFakeSender(), directory })
    expect(await next.tracker.flush()).toMatchObject({ accepted: 1 })
  })
})

describe('recovery', () => {
  /** What a crash leaves: the directory of a tracker that is still running, without its lock. */
  const crash = async (...tracked: string[]): Promise<string> => {
    const from = makeDirectory()
    const { tracker } = await openTracker({ sender: createFakeSender().sender, directory: from })
    for (const event of tracked) await tracker.track(event)
    const directory = makeDirectory()
    for (const name of readdirSync(from)) if (name !== 'lock') copyFileSync(join(from, name), join(directory, name))
    return directory
  }
  const fileOf = (directory: string): string =>
    join(directory, readdirSync(directory).find(name => name.includes('.fake.')) ?? '')

  test('sends what was tracked before a crash, with its key', async () => {
    const directory = await crash('a', 'b')
    const { sender, sent } = createFakeSender(busy)
    const first = await openTracker({ sender, directory })
    await first.tracker.close()
    const second = await openTracker({ sender, directory })
    expect(await second.tracker.flush()).toMatchObject({ accepted: 2, waitingBatches: 0 })
    expect(sent.map(batch => batch.events)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    expect(sent[0]?.key).toBe(sent[1]?.key)
  })

  test('keeps the whole events before one that was torn', async () => {
    const directory = await crash('a', 'b')
    appendFileSync(fileOf(directory), Buffer.from([0, 0, 0, 9, 1, 2]))
    const { sender, sent } = createFakeSender()
    const { tracker } = await openTracker({ sender, directory })
    await tracker.flush()
    expect(sent.map(batch => batch.events)).toEqual([['a', 'b']])
  })

  test('a file without a whole event is gone', async () => {
    const directory = await crash('a')
    writeFileSync(fileOf(directory), Buffer.from([0, 0]))
    const { sender, sent } = createFakeSender()
    const { tracker } = await openTracker({ sender, directory })
    expect(await tracker.flush()).toMatchObject({ waitingBytes: 0 })
    expect(sent).toEqual([])
  })

  test('tells damage within a batch, and sends what is before it', async () => {
    const directory = makeDirectory()
    const first = await openTracker({ sender: createFakeSender(busy, busy).sender, directory })
    for (const event of ['a', 'b', 'c']) await first.tracker.track(event)
    await first.tracker.close()
    const bytes = readFileSync(fileOf(directory))
    writeFileSync(fileOf(directory), bytes.with(bytes.length - 1, 0x78))
    const { sender, sent } = createFakeSender()
    const { tracker, errors } = await openTracker({ sender, directory })
    await tracker.flush()
    expect(sent.map(batch => batch.events)).toEqual([['a', 'b']])
    expect(errors).toEqual([expect.stringContaining('up to event 2')])
  })

  test('halves that were not finished are made again', async () => {
    const directory = makeDirectory()
    const first = await openTracker({ sender: createFakeSender(busy, busy).sender, directory })
    for (const event of ['a', 'b']) await first.tracker.track(event)
    await first.tracker.close()
    const whole = fileOf(directory)
    copyFileSync(whole, whole.replace('.fake.', '.0.fake.'))
    writeFileSync(`${whole.replace('.fake.', '.1.fake.')}.tmp`, 'torn')
    const { sender, sent } = createFakeSender({ kind: 'too-large' })
    const { tracker } = await openTracker({ sender, directory })
    await tracker.flush()
    expect(sent.map(batch => batch.events)).toEqual([['a', 'b'], ['a'], ['b']])
    expect(readdirSync(directory).filter(name => name !== 'lock')).toEqual([])
  })

  test('continues in order after the numbers of earlier files', async () => {
    const directory = makeDirectory()
    const first = await openTracker({ sender: createFakeSender(busy, busy).sender, directory, maxBatchEvents: 1 })
    for (const event of ['a', 'b', 'c']) await first.tracker.track(event)
    await first.tracker.close()
    const { sender, sent } = createFakeSender(busy)
    const { tracker } = await openTracker({ sender, directory })
    await tracker.track('d')
    await tracker.flush()
    await tracker.flush()
    expect(sent.flatMap(batch => batch.events)).toEqual(['a', 'a', 'b', 'c', 'd'])
  })

  test('one tracker at a time', async () => {
    const directory = makeDirectory()
    const { sender } = createFakeSender()
    const { tracker } = await openTracker({ sender, directory })
    await expect(openTracker({ sender, directory })).rejects.toThrow(SpoolInUse)
    await tracker.close()
    await expect(openTracker({ sender, directory })).resolves.toBeDefined()
  })

  test('refuses events of another form, and leaves them', async () => {
    const directory = await crash('a')
    const copy = makeDirectory()
    cpSync(directory, copy, { recursive: true })
    const other = { ...createFakeSender().sender, form: 'other' }
    await expect(openTracker({ sender: other, directory: copy })).rejects.toThrow('form fake')
    const { tracker } = await openTracker({ ...createFakeSender(), directory: copy })
    expect(await tracker.flush()).toMatchObject({ accepted: 1 })
  })
})
