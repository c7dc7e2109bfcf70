import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createScribeFrame, scribeOk } from '../bench/scribe.ts'
import { type RequestBomb, requestBombs, smallLimits } from '../overload/request-bombs.ts'
import { scribeBombs } from '../overload/scribe-bombs.ts'
import { startTarget, type Target } from '../overload/target.ts'
import { cleanUp } from './process/child.ts'

/** Far more than the 16 MB that may be unfolded, far less than the bombs hold. */
const maxGrowthMb = 200

let target: Target
beforeAll(async () => {
  target = await startTarget(smallLimits)
})
afterAll(cleanUp)

const send = async ({ to, headers = {}, body }: RequestBomb): Promise<{ status: number; text: string }> => {
  const [method = '', path = ''] = to.replace('admin ', '').split(' ')
  const origin = to.startsWith('admin') ? target.adminUrl : target.url
  const bytes = body?.()
  const response = await fetch(`${origin}${path}`, {
    method,
    headers,
    ...(bytes ? { body: new Uint8Array(bytes) } : {}),
  })
  return { status: response.status, text: await response.text() }
}

describe.each(Object.entries(requestBombs))('the %s', (_, bombs) => {
  test.each(bombs)('R11: refuses $name: $to', async bomb => {
    const { growthMb, done } = await target.growth(() => send(bomb))
    expect(done).toEqual({ status: bomb.want, text: expect.stringMatching(bomb.says) })
    expect(growthMb).toBeLessThan(maxGrowthMb)
    expect(await target.honest()).toEqual([202, 200])
  })
})

test.each(scribeBombs)('R11: the Scribe port bears $name', async ({ bytes }) => {
  const { growthMb } = await target.growth(() => talk(bytes()))
  expect(growthMb).toBeLessThan(maxGrowthMb)
  const good = createScribeFrame([{ category: 'Honest', date: 1_767_323_045_000, bytes: 315 }])
  expect(await talk(good)).toEqual(scribeOk)
})

/** Sends bytes, ends, and resolves to the answer when the server has ended too. */
const talk = (bytes: Uint8Array): Promise<Buffer> =>
  new Promise(resolve => {
    const socket = connect(target.scribePort, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', chunk => chunks.push(chunk))
    // A server that gives up while bytes are on their way resets the connection.
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(chunks)))
    socket.end(bytes)
  })
