import { expect, test } from 'vitest'
import { ByteStream, iterated, toByteSource } from '../../../src/bytes/byte-stream.ts'

const counting = (chunks: number) => {
  let left = chunks
  let isCancelled = false
  const stream = new ByteStream({
    read: async () => (left-- > 0 ? Uint8Array.of(left) : undefined),
    cancel: () => {
      isCancelled = true
    },
  })
  return { stream, isCancelled: () => isCancelled }
}

test('it is a web stream', async () => {
  expect(await new Response(counting(3).stream).bytes()).toEqual(Uint8Array.of(2, 1, 0))
  const { stream, isCancelled } = counting(3)
  await stream.cancel()
  expect(isCancelled()).toBe(true)
})

test('as the body of a response it is still itself', () => {
  const { stream } = counting(3)
  const copied = new Response(new Response(stream).body, { headers: { 'x-a': '1' } })
  expect(copied.body && toByteSource(copied.body)).toBe(stream.source)
})

test('a loop takes all; one that is left cancels', async () => {
  const whole = counting(3)
  expect(await Array.fromAsync(whole.stream)).toHaveLength(3)
  expect(whole.isCancelled()).toBe(false)
  const { stream, isCancelled } = counting(3)
  for await (const _ of stream) break
  expect(isCancelled()).toBe(true)
})

test('any web stream, and any iterator, can be a source', async () => {
  const chunks = [Uint8Array.of(1), Uint8Array.of(2)]
  for (const source of [toByteSource(ReadableStream.from(chunks)), iterated(ReadableStream.from(chunks).values())]) {
    expect([await source.read(), await source.read(), await source.read()]).toEqual([...chunks, undefined])
  }
  let isLeft = false
  const source = toByteSource(
    new ReadableStream({
      pull: controller => controller.enqueue(Uint8Array.of(1)),
      cancel: () => {
        isLeft = true
      },
    }),
  )
  await source.read()
  source.cancel()
  expect(isLeft).toBe(true)
})
