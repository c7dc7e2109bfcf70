import { expect, test } from 'vitest'
import { cutValue } from '../../../../src/collector/live/cut-value.ts'
import type { LiveEvent, LiveFigures, LiveFilter } from '../../../../src/collector/live/feed.ts'
import { createLive, maxLookers } from '../../../../src/collector/live/live.ts'
import { maxShownPerSecond } from '../../../../src/collector/live/looker.ts'
import { maxRecent, maxSentBytes, toSent } from '../../../../src/collector/live/recent.ts'
import { stringifyJson } from '../../../../src/formats/json.ts'
import type { Value } from '../../../../src/formats/number.ts'
import { parseEventWhere } from '../../../../src/rows/where/event-where.ts'
import type { Batch } from '../../../../src/spool/batch.ts'
import { jsonBatch, thriftBatch } from '../../../suites/spool.ts'

/** A feed on a clock of its own, which each look at it may move. */
const createWorld = ({ lookMs = 0 } = {}) => {
  const clock = { ms: 1_000 }
  let tell = (): void => {}
  let isTelling = false
  const live = createLive({
    now: () => clock.ms,
    nowMs: () => {
      clock.ms += lookMs
      return clock.ms
    },
    parseWhere: parseEventWhere,
    fieldNames: name => (name === 'Named' ? new Map([[1, 'first']]) : undefined),
    everySecond: each => {
      tell = each
      isTelling = true
      return () => {
        isTelling = false
      }
    },
  })
  const look = (filter: LiveFilter = {}) => {
    const events: LiveEvent[] = []
    const figures: LiveFigures[] = []
    let hasEnded = false
    const stop = live.watch(filter, {
      onEvent: event => void events.push(event),
      onFigures: one => void figures.push(one),
      onEnd: () => {
        hasEnded = true
      },
    })
    return { events, figures, stop, hasEnded: () => hasEnded }
  }
  const refuse = (detail: string, sent: string | Uint8Array = '') =>
    live.reject({ api: 'GET_API', peer: '10.0.0.1', code: 'bad-event', detail, events: 1 }, toSent(sent))
  return { live, clock, look, refuse, tell: () => tell(), isTelling: () => isTelling }
}

/** What is shown is decoded in later turns of the event loop. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 300; turn++) await new Promise(resolve => setImmediate(resolve))
}

const typesOf = (events: readonly LiveEvent[]) => events.map(event => (event.kind === 'accepted' ? event.type : ''))

test('nothing runs without viewers', () => {
  const { live, look, isTelling } = createWorld()
  expect([live.isWatched, isTelling()]).toEqual([false, false])
  const one = look()
  const other = look()
  one.stop()
  one.stop()
  expect([live.isWatched, isTelling()]).toEqual([true, true])
  other.stop()
  expect([live.isWatched, isTelling()]).toEqual([false, false])
})

test('events have their fields, without those of their heads, and Thrift fields their names', async () => {
  const { live, look } = createWorld()
  const { events } = look()
  live.accept({ ...jsonBatch([{ a: 12345678901234567890n }]), receivedAt: 7 }, '10.0.0.1')
  live.accept({ ...thriftBatch('x'), events: thriftBatch('x').events.map(head => ({ ...head, name: 'Named' })) }, '')
  await settle()
  expect(events).toMatchObject([
    { kind: 'accepted', id: 1, at: 7, peer: '10.0.0.1', fields: '{"a":12345678901234567890}', isCut: false },
    { id: 2, type: 'Named', fields: '{"first":"x"}' },
  ])
})

test('a long event is cut, and says so', async () => {
  const { live, look } = createWorld()
  const { events } = look()
  live.accept(jsonBatch([{ text: 'x'.repeat(5_000), list: Array.from({ length: 90 }, (_, i) => i) }]), '')
  live.accept(
    jsonBatch([Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`field${i}`, 'y'.repeat(90)]))]),
    '',
  )
  await settle()
  const [first, second] = events
  expect(first).toMatchObject({
    isCut: true,
    fields: expect.stringMatching(/^\{"text":"x{1000}…","list":\[0,.*,49,"…"\]\}$/),
  })
  expect(second).toMatchObject({ isCut: true })
  expect(second?.kind === 'accepted' && second.fields.length).toBeLessThan(32_000)
})

test('of more than fifty a second a sample is shown, which is said', async () => {
  const { live, look, clock, tell } = createWorld()
  const all = look()
  const few = look({ types: ['Few'] })
  for (let i = 0; i < 100; i++) live.accept(jsonBatch([{ i }]), '')
  live.accept(jsonBatch([{ i: 0 }], { name: 'Few' }), '')
  await settle()
  tell()
  expect([all.events.length, few.events.length]).toEqual([maxShownPerSecond, 1])
  expect(all.figures).toEqual([
    {
      at: clock.ms,
      accepted: 101,
      rejected: 0,
      shown: maxShownPerSecond,
      isSampled: true,
      notLookedAt: 0,
      problem: null,
      slowed: [],
    },
  ])
  expect(few.figures).toMatchObject([{ shown: 1, isSampled: false }])
  clock.ms += 100
  for (let i = 0; i < 100; i++) live.accept(jsonBatch([{ i }]), '')
  await settle()
  expect(all.events.length).toBe(maxShownPerSecond + 5)
  clock.ms += 10_000
  tell()
  for (let i = 0; i < 10; i++) live.accept(jsonBatch([{ i }]), '')
  await settle()
  tell()
  expect(all.figures.at(-1)).toMatchObject({ accepted: 10, shown: 10, isSampled: false })
})

test('a viewer who searches for a rare text finds it among the events that there is time to look at', async () => {
  const { live, look, tell } = createWorld()
  const { events, figures } = look({ text: 'NEEDLE' })
  for (let i = 0; i < 200; i++) live.accept(jsonBatch([{ hay: i }]), '')
  live.accept(jsonBatch([{ text: 'a needle' }]), '')
  await settle()
  expect(events.length).toBe(1)
  live.accept(jsonBatch(Array.from({ length: 5_000 }, (_, i) => ({ hay: i }))), '')
  await settle()
  tell()
  expect(figures).toMatchObject([{ shown: 1, isSampled: true }])
})

test('what is looked for is found at the end of a large request too, a piece of work in each turn', async () => {
  const { live, look, tell } = createWorld({ lookMs: 0.05 })
  const rare = look({ types: ['Rare'] })
  const needle = look({ text: 'needle', types: ['Click'] })
  const payloads = Array.from({ length: 900 }, (_, i) => ({ text: i === 890 ? 'a needle' : 'hay' }))
  const batch = jsonBatch(payloads, { name: 'Click' })
  const events = batch.events.map((head, i) => (i > 896 ? { ...head, name: 'Rare' } : head))
  live.accept({ ...batch, events }, '')
  await new Promise(resolve => setImmediate(resolve))
  expect([rare.events.length, needle.events.length]).toEqual([0, 0])
  for (let i = 0; i < 10; i++) await settle()
  tell()
  expect([typesOf(rare.events), typesOf(needle.events)]).toEqual([['Rare', 'Rare', 'Rare'], ['Click']])
  expect([rare.figures, needle.figures]).toMatchObject([
    [{ shown: 3, isSampled: false }],
    [{ shown: 1, isSampled: false }],
  ])
})

const comparisons = Array.from({ length: 100 }, (_, i) => `t ~ never${i}`).join(' or ')

test('a filter that takes too much of an event has not looked at it, which is said; others have', async () => {
  const { live, look, tell } = createWorld()
  const costly = look({ where: comparisons })
  const cheap = look({ where: 't ~ xx' })
  const all = look()
  live.accept(jsonBatch([{ t: 'x'.repeat(100_000) }, { t: 'never99' }]), '')
  await settle()
  tell()
  expect([costly.events.length, cheap.events.length, all.events.length]).toEqual([1, 1, 2])
  expect([costly, cheap, all].map(({ figures }) => figures[0]?.notLookedAt)).toEqual([1, 0, 0])
  tell()
  expect(costly.figures[1]?.notLookedAt).toBe(0)
})

test('a filter that asks for a field of no event so far says so', async () => {
  const { live, look, tell } = createWorld()
  const { figures } = look({ where: 'statsu >= 500' })
  tell()
  live.accept(jsonBatch([{ status: 500 }]), '')
  await settle()
  tell()
  live.accept(jsonBatch([{ status: 500, statsu: 1 }]), '')
  await settle()
  tell()
  const problem = 'no event so far has a field "statsu"; did you mean "status"?'
  expect(figures.map(one => one.problem)).toEqual([null, problem, null])
})

test.each([
  { what: 'JSON', batch: jsonBatch([{ a: 1 }, { list: Array.from({ length: 100_000 }, (_, i) => i) }, { b: 1 }]) },
  { what: 'Thrift', batch: thriftBatch('x'.repeat(1_000_000)) },
])('of an event of $what that is too large to be decoded the head is shown, and no filter is asked', async given => {
  const { live, look, tell } = createWorld()
  const all = look()
  const filtered = look({ where: 'list != null' })
  const text = look({ text: 'xx' })
  live.accept(given.batch, '')
  await settle()
  tell()
  expect(all.events.at(-1)).toMatchObject({ kind: 'accepted', fields: '{}', isCut: true })
  expect([filtered.events.length, text.events.length]).toEqual([0, 0])
  expect([all, filtered, text].map(({ figures }) => figures[0]?.notLookedAt)).toEqual([0, 1, 1])
})

test('each filter has a turn of the event loop of its own', async () => {
  const { live, look } = createWorld({ lookMs: 2 })
  const lookers = Array.from({ length: maxLookers }, () => look({ where: comparisons }))
  live.accept(jsonBatch([{ t: 'never7' }]), '')
  const shown = new Set<number>()
  for (let turn = 0; turn < 100; turn++) {
    await new Promise(resolve => setImmediate(resolve))
    shown.add(lookers.filter(({ events }) => events.length > 0).length)
  }
  expect(shown.size).toBe(maxLookers + 1)
})

test('no more than a quarter of each second is spent on those who look', async () => {
  const { live, look, tell } = createWorld({ lookMs: 5 })
  const { events, figures } = look()
  for (let i = 0; i < 40; i++) live.accept(jsonBatch([{ i }]), '')
  await settle()
  tell()
  expect([events.length > 0, events.length < 20, figures[0]?.isSampled]).toEqual([true, true, true])
})

test('unwanted events are not decoded', async () => {
  const { live, look, tell } = createWorld()
  const { events, figures } = look({ types: ['Rare'] })
  const batch = jsonBatch([{ i: 0 }, { i: 1 }], { name: 'Rare' })
  const [first, ...rest] = batch.events
  if (!first) throw new Error('The batch has no events')
  // Decoding the first one would fail.
  const text = Buffer.from(batch.body).toString().replace('"payload"', '"pay_oad"')
  live.accept({ ...batch, body: Buffer.from(text), events: [{ ...first, name: 'Click' }, ...rest] }, '')
  await settle()
  tell()
  expect(typesOf(events)).toEqual(['Rare'])
  expect(figures).toMatchObject([{ accepted: 2, shown: 1, isSampled: false }])
})

test('what waits to be shown is bounded', async () => {
  const { live, look, tell } = createWorld()
  const { events, figures } = look({ text: 'none has it' })
  const large: Batch = { ...jsonBatch([{ text: 'x'.repeat(3 << 20) }]) }
  for (let i = 0; i < 5; i++) live.accept(large, '')
  await settle()
  tell()
  expect([events, figures]).toMatchObject([[], [{ isSampled: true, accepted: 5 }]])
})

test('a viewer who stops at an event does not loosen a bound for the next', async () => {
  const { live, look, tell } = createWorld()
  const large: Batch = jsonBatch([{ text: 'x'.repeat(3 << 20) }])
  const stop = live.watch({}, { onEvent: () => stop(), onFigures: () => {}, onEnd: () => {} })
  live.accept(large, '')
  await settle()
  expect(live.isWatched).toBe(false)
  const { events, figures } = look()
  for (let i = 0; i < 3; i++) live.accept(large, '')
  await settle()
  tell()
  expect([events.length, figures[0]?.isSampled]).toEqual([2, true])
})

test('the newest refused requests are kept, and the beginning of what was sent', () => {
  const { look, refuse } = createWorld()
  for (let i = 0; i < maxRecent + 5; i++) refuse(`no ${i}`, `body ${i}`)
  const memory = new Uint8Array(2 * maxSentBytes).fill(7)
  refuse('x'.repeat(5_000), memory)
  memory.fill(8)
  const { events } = look({ types: ['nobody knows'], events: 'accepted' })
  expect(events).toEqual([])
  const { events: kept } = look()
  expect(kept.length).toBe(maxRecent)
  expect(kept.slice(-2)).toMatchObject([
    { kind: 'rejected', detail: `no ${maxRecent + 4}` },
    { detail: 'x'.repeat(1_000), sent: { bytes: new Uint8Array(maxSentBytes).fill(7), length: 2 * maxSentBytes } },
  ])
})

test('refused ones are found by what was sent, and shown no faster than others', () => {
  const { look, refuse, tell } = createWorld()
  const orders = look({ types: ['Ord*'], text: 'hat' })
  const all = look()
  refuse('no', '{"eventName":"Order","x":"HAT"}')
  refuse('no', '{"eventName":"Page","x":"hat"}')
  refuse('no', '{"eventName":"Order"}')
  expect(orders.events).toMatchObject([{ id: 1 }])
  for (let i = 0; i < 100; i++) refuse('no')
  tell()
  expect(all.events.length).toBe(maxShownPerSecond)
  expect(all.figures).toMatchObject([{ rejected: 103, shown: maxShownPerSecond, isSampled: true }])
})

test('a viewer who filters by fields sees no refused requests, which have no fields, neither kept nor new ones', () => {
  const { look, refuse } = createWorld()
  refuse('no', '{"eventName":"Order"}')
  const filtered = look({ where: 'eventName = Order' })
  const all = look()
  refuse('no', '{"eventName":"Order"}')
  expect([filtered.events.length, all.events.length]).toEqual([0, 2])
})

test('so many may look, and none at the end', () => {
  const { live, look, isTelling } = createWorld()
  const lookers = Array.from({ length: maxLookers }, () => look())
  expect(() => look()).toThrow('At most 16 clients can watch')
  lookers[0]?.stop()
  const last = look()
  live.close()
  expect([last.hasEnded(), live.isWatched, isTelling()]).toEqual([true, false, false])
  expect(() => look()).toThrow('The server is shutting down')
})

test('a type may be a pattern', async () => {
  const { live, look } = createWorld()
  const { events } = look({ types: ['Page*', 'Order'] })
  for (const name of ['Page', 'PageView', 'Order', 'Orders']) live.accept(jsonBatch([{}], { name }), '')
  await settle()
  expect(typesOf(events)).toEqual(['Page', 'PageView', 'Order'])
})

test('after a pause a viewer gets at most fifty at once, and each second starts over', async () => {
  const { live, look, clock, tell } = createWorld()
  const all = look()
  const rare = look({ text: 'none has it' })
  for (let second = 0; second < 3; second++) {
    clock.ms += 10_000
    live.accept(jsonBatch(Array.from({ length: 900 }, (_, i) => ({ i }))), '')
    await settle()
    tell()
  }
  expect(all.figures.map(({ shown }) => shown)).toEqual([50, 50, 50])
  expect(rare.figures.map(({ isSampled }) => isSampled)).toEqual([false, false, false])
  clock.ms += 10_000
  live.accept(jsonBatch([{ i: 1 }]), '')
  await settle()
  tell()
  expect(rare.figures.at(-1)).toMatchObject({ isSampled: false })
})

test('what has been shown makes room', async () => {
  const { live, look } = createWorld()
  const { events } = look()
  for (let i = 0; i < 5; i++) {
    live.accept(jsonBatch([{ text: 'x'.repeat(3 << 20) }]), '')
    await settle()
  }
  expect(events.length).toBe(5)
})

test('a viewer who asks for accepted events sees no others', () => {
  const { look, refuse } = createWorld()
  const { events } = look({ events: 'accepted' })
  refuse('no')
  expect(events).toEqual([])
})

test('deep and very many values are cut', () => {
  let deep: Value = 'inmost'
  for (let depth = 0; depth < 40; depth++) deep = { in: deep }
  expect(stringifyJson(cutValue(deep).value)).toBe(`${'{"in":'.repeat(9)}"…"${'}'.repeat(9)}`)
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`a${i}`, i]))
  const { value, isCut } = cutValue(many)
  expect([isCut, Object.keys(value as object).length]).toEqual([true, 500])
  expect(cutValue({ x: [true, null, 1.5], b: new Uint8Array(2_000) })).toEqual({
    value: { x: [true, null, 1.5], b: new Uint8Array(1_000) },
    isCut: true,
  })
})

test('rows of refused events are not shown as accepted ones', async () => {
  const { live, look } = createWorld()
  const { events } = look()
  const { events: heads, ...batch } = jsonBatch([{ a: 1 }, { a: 2 }])
  live.accept({ ...batch, events: heads.map((head, i) => (i === 0 ? { ...head, name: '/Order' } : head)) }, '')
  await settle()
  expect(events).toMatchObject([{ kind: 'accepted', fields: '{"a":2}' }])
})
