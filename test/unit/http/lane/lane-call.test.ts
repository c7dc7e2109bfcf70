import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { LaneCall } from '../../../../src/http/lane/lane-call.ts'
import { createParseHead } from '../../../../src/http/lane/parse-head.ts'
import { toPost } from '../raw-client.ts'

/** A call whose last bytes did not arrive. */
const create = (missing: number): LaneCall => {
  const bytes = Buffer.from(toPost('/a', 'hello'))
  const parsed = createParseHead(1_000)(bytes, 0)
  if (typeof parsed === 'string') throw new TypeError(parsed)
  const end = { socket: new Socket(), answered: () => {}, failed: () => {} }
  return new LaneCall(end, () => new Response(), parsed.head, bytes.subarray(parsed.end, bytes.length - missing))
}

const drain = async (call: LaneCall): Promise<string> => {
  let text = ''
  for await (const piece of call.stream() ?? []) text += Buffer.from(piece).toString()
  return text
}

test('a whole body is there at once, as bytes and as a stream', async () => {
  const call = create(0)
  expect(Buffer.from(call.whole ?? []).toString()).toBe('hello')
  expect(Buffer.from(await call.bytes(5)).toString()).toBe('hello')
  expect(await drain(call)).toBe('hello')
  await expect(call.bytes(4)).rejects.toMatchObject({ code: 'too-large' })
})

test('a body that was cut short never looks whole', async () => {
  const call = create(1)
  expect(call.whole).toBeUndefined()
  await expect(call.bytes(5)).rejects.toMatchObject({ code: 'bad-request' })
  await expect(drain(call)).rejects.toMatchObject({ code: 'bad-request' })
})
