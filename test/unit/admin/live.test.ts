import { expect, test } from 'vitest'
import { createLiveRoute } from '../../../admin/live/route.ts'
import type { AdminCall } from '../../../admin/routes.ts'
import type { LiveFeed, LiveListener } from '../../../src/collector/live/feed.ts'

/** The route over a feed that is played by hand. */
const open = () => {
  let listener: LiveListener | undefined
  let isWatched = false
  const live: LiveFeed = {
    watch: (_filter, one) => {
      listener = one
      isWatched = true
      return () => {
        isWatched = false
      }
    },
  }
  const identity = { name: 'ann', has: () => true }
  const call = { method: 'GET', target: '/live', caller: { identity, from: '' } } as unknown as AdminCall
  const { body } = createLiveRoute({ live, product: { version: '1', startedAt: 0 } })(call)
  const send = (bytes: Uint8Array, length = bytes.length) =>
    listener?.onEvent({
      kind: 'rejected',
      id: 1,
      at: 0,
      api: 'POST_Json_API',
      peer: '',
      code: 'bad-event',
      detail: '',
      events: 1,
      sent: { bytes, length },
    })
  return { body, send, listener: () => listener, isWatched: () => isWatched }
}

test('a client that goes away is no longer sent anything', async () => {
  const { body, isWatched } = open()
  expect(isWatched()).toBe(true)
  await body?.cancel()
  expect(isWatched()).toBe(false)
})

test('a client that leaves does not leave a timer behind', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const { body, send } = open()
  const before = timers()
  send(Buffer.from('a'))
  expect(timers()).toBe(before + 1)
  await body?.cancel()
  expect(timers()).toBe(before)
})

test('what comes at about one time goes out as one, and what is left as the server ends', async () => {
  const { body, send, listener } = open()
  const reader = body?.getReader()
  const next = async (): Promise<readonly string[]> => {
    const { value } = (await reader?.read()) ?? {}
    return new TextDecoder().decode(value).match(/^event: .*$/gm) ?? []
  }
  for (let i = 0; i < 3; i++) send(Buffer.from('a'))
  expect(await next()).toEqual(['event: hello'])
  expect(await next()).toEqual(Array(3).fill('event: rejected'))
  send(Buffer.from('a'))
  listener()?.onEnd()
  expect(await next()).toEqual(['event: rejected'])
  expect(await reader?.read()).toEqual({ done: true, value: undefined })
})

test('a client that does not read holds 4 MiB at most, and learns what it missed', async () => {
  const { body, send, listener } = open()
  const text = new Uint8Array(4_096).fill(0x61)
  for (let i = 0; i < 5_000; i++) send(text)
  const reader = body?.getReader()
  let bytes = 0
  let last = ''
  while (bytes < 4 << 20) {
    const { value } = (await reader?.read()) ?? {}
    bytes += value?.length ?? 0
  }
  expect(bytes).toBeLessThan((4 << 20) + 10_000)
  listener()?.onFigures({
    at: 1,
    accepted: 0,
    rejected: 5_000,
    shown: 5_000,
    isSampled: false,
    notLookedAt: 0,
    problem: null,
    slowed: [],
  })
  last = new TextDecoder().decode((await reader?.read())?.value)
  const { shown, isSampled } = JSON.parse(last.split('data: ')[1] ?? '') as { shown: number; isSampled: boolean }
  expect([shown < 1_100, isSampled]).toEqual([true, true])
})

test('a client that reads nothing for some seconds is then told of all of them, and never less than nothing', async () => {
  const { body, send, listener } = open()
  const text = new Uint8Array(4_096).fill(0x61)
  const second = (at: number, events: number): void => {
    for (let i = 0; i < events; i++) send(text)
    listener()?.onFigures({
      at,
      accepted: 1,
      rejected: events,
      shown: events,
      isSampled: false,
      notLookedAt: 2,
      problem: null,
      slowed: [],
    })
  }
  const reader = body?.getReader()
  let shown = 0
  const figures: { readonly at: number; readonly shown: number }[] = []
  const read = async (): Promise<void> => {
    const text = new TextDecoder().decode((await reader?.read())?.value)
    shown += text.match(/^event: rejected$/gm)?.length ?? 0
    for (const [, json = ''] of text.matchAll(/^event: figures\ndata: (.*)$/gm)) figures.push(JSON.parse(json))
  }
  // More than may wait: events are left out, and the figures after them, too.
  for (let at = 1; at <= 6; at++) second(at, 300)
  await read()
  await read()
  expect([shown > 900, (figures.at(-1)?.at ?? 6) < 6]).toEqual([true, true])
  second(7, 0)
  await read()
  expect(figures.reduce((sum, one) => sum + one.shown, 0)).toBe(shown)
  expect(figures.filter(one => one.shown < 0)).toEqual([])
  const seconds = 7 - (figures.at(-2)?.at ?? 0)
  expect(figures.at(-1)).toMatchObject({ at: 7, accepted: seconds, notLookedAt: 2 * seconds, isSampled: true })
})

test.each([
  { name: 'text', sent: Buffer.from('{"a":\t"ä"}\n'), length: 12, want: { text: '{"a":\t"ä"}\n', isCut: false } },
  {
    name: 'text that is cut within a character',
    sent: Buffer.from('aä').subarray(0, 2),
    length: 9,
    want: { text: 'a', isCut: true },
  },
  { name: 'what is not UTF-8', sent: Buffer.from([0x61, 0xff]), length: 2, want: { base64: 'Yf8=', isCut: false } },
  {
    name: 'text with control characters',
    sent: Buffer.from('a\u0001'),
    length: 2,
    want: { base64: 'YQE=', isCut: false },
  },
])('shows $name', async ({ sent, length, want }) => {
  const { body, send } = open()
  const reader = body?.getReader()
  await reader?.read()
  send(sent, length)
  const message = new TextDecoder().decode((await reader?.read())?.value)
  expect(message).toMatch(/^event: rejected\nid: 1\ndata: [^\n]*\n\n$/)
  expect(JSON.parse(message.split('data: ')[1] ?? '')).toMatchObject({ sent: { ...want, bytes: length } })
})
