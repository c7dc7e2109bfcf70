/** A server that finds a fault in itself, as its senders and its operators see it. */
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readEvents } from '../foreign/read-events.ts'
import { openLocalStore } from '../foreign/store.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'
import { cleanUp, createDirectory, start } from './process/child.ts'

let next: Sluice | undefined
afterEach(async () => {
  await next?.close()
  next = undefined
  cleanUp()
})

const toBody = (n: number): string => JSON.stringify({ eventName: 'Hello', payload: { n } })
const toHead = (body: string): string =>
  `POST /rest/1.0/event HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`

/** A request whose last byte is sent on request, with all that is answered. */
const sendSlowly = (url: string, body: string) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', bytes => {
    answer += String(bytes)
  })
  socket.write(toHead(body) + body.slice(0, -1))
  return {
    finish: async (): Promise<string> => {
      const ended = new Promise(done => socket.on('close', done))
      socket.write(body.slice(-1))
      await ended
      return answer
    },
  }
}

test('says what does not hold, answers 503, ends with 70, and the next start has all that was acknowledged', async () => {
  const directory = createDirectory()
  const settings = ['--set', `data.dir=${directory}`, '--set', 'collector.scribe.port=0']
  const script = resolve('test/integration/process/broken-server.ts')
  const server = start(process.execPath, [script, ...settings], { cwd: directory })
  const url = String((await server.logged('sluice is ready'))['server'])
  const send = (n: number): Promise<number> => {
    const headers = { 'content-type': 'application/json' }
    return fetch(`${url}/rest/1.0/event`, { method: 'POST', headers, body: toBody(n) }).then(({ status }) => status)
  }
  for (const n of [1, 2, 3]) expect(await send(n)).toBe(202)

  const slow = sendSlowly(url, toBody(5))
  writeFileSync(join(directory, 'break'), '')
  // Its bytes are on the disk, and nothing is sure of them: no answer is true.
  await expect(send(4)).rejects.toThrow()
  const message = 'the spool found an internal contradiction and stops; the next start recovers from the disk'
  expect(await server.logged(message)).toMatchObject({
    level: 'error',
    invariant: 'receipts of a segment come in order',
    segment: expect.any(Number),
    end: expect.any(Number),
    due: expect.any(Number),
  })
  expect(await slow.finish()).toMatch(/^HTTP\/1\.1 503 /)
  expect(await server.ended()).toBe(70)
  expect(server.output().split(message)).toHaveLength(2)

  next = await createSluice({ directory })
  await next.start()
  expect(await next.drain()).toBe(0)
  const { events, unreadable } = await readEvents(openLocalStore(join(directory, 'fs')), '/events')
  const texts = events.map(({ fields }) =>
    JSON.stringify(fields, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v)),
  )
  const found = texts.map(text => Number(/"n",(\d+)/.exec(text)?.[1])).sort((a, b) => a - b)
  expect({ found, unreadable }).toEqual({ found: [1, 2, 3, 4], unreadable: [] })
})
