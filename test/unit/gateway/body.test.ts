import { expect, test } from 'vitest'
import { type BodyEnd, createTextBody } from '../../../src/gateway/body.ts'

/** Pieces that are all at hand, each as long as a chunk. */
async function* ready(count: number): AsyncGenerator<string> {
  for (let i = 0; i < count; i++) yield String(i % 10).repeat(70_000)
}

/** Work of other requests: each turn of the event loop has some, until it is stopped. */
const beBusy = (ms: number): { readonly turns: () => number; readonly stop: () => void } => {
  let turns = 0
  let isStopped = false
  const work = (): void => {
    if (isStopped) return
    turns++
    for (const end = performance.now() + ms; performance.now() < end; );
    setImmediate(work)
  }
  setImmediate(work)
  return {
    turns: () => turns,
    stop: () => {
      isStopped = true
    },
  }
}

test('a body whose pieces are all at hand leaves several turns to others for each chunk', async () => {
  const body = await createTextBody(ready(20))
  const others = beBusy(1)
  let chunks = 0
  for await (const chunk of body) chunks += chunk.length / 70_000
  others.stop()
  expect(chunks).toBe(20)
  expect(others.turns()).toBeGreaterThanOrEqual(2 * chunks)
})

test('small pieces make large chunks, and none is lost', async () => {
  const pieces = (async function* () {
    for (let i = 0; i < 30_000; i++) yield `${i},`
  })()
  const ends: BodyEnd[] = []
  const parts: string[] = []
  const decoder = new TextDecoder()
  for await (const chunk of await createTextBody(pieces, { onEnd: end => ends.push(end) })) {
    parts.push(decoder.decode(chunk))
  }
  const text = parts.join('')
  expect(text).toBe(Array.from({ length: 30_000 }, (_, i) => `${i},`).join(''))
  expect(parts.length).toBeLessThan(10)
  expect(ends).toEqual([{ bytes: text.length }])
})

test('what fails before the first piece is thrown; later, it ends the body behind what was made', async () => {
  const failing = (pieces: number): AsyncGenerator<string> =>
    (async function* () {
      yield* ready(pieces)
      throw new Error('the file is gone')
    })()
  await expect(createTextBody(failing(0))).rejects.toThrow('the file is gone')
  let bytes = 0
  await expect(
    (async () => {
      for await (const chunk of await createTextBody(failing(3))) bytes += chunk.length
    })(),
  ).rejects.toThrow('the file is gone')
  expect(bytes).toBe(3 * 70_000)
})
