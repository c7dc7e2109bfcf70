import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { forkEdges } from '../suites/fork-edges.ts'
import { createRawClient } from '../unit/http/raw-client.ts'

/** Begins the body of each answer. */
const openBrace = 0x7b

const root = join(import.meta.dirname, '../..')

const createDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-edge-ends-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

test('R21: a server of which no thread can start any more ends with 70, to be started anew', async () => {
  const { server, tell, lines } = await forkEdges(root, createDirectory(), 2)
  const closed = once(server, 'close')
  tell({ do: 'break' })
  tell({ do: 'end', thread: 0 })
  tell({ do: 'end', thread: 1 })
  expect(await closed).toEqual([70, null])
  const words = lines.map(({ msg = '' }) => msg)
  expect(words.filter(msg => msg.startsWith('an edge thread ended')).length).toBeGreaterThanOrEqual(15)
  // Both may have failed once more before the first of them is judged.
  const last = /^no edge thread can start \(1[67] attempts\): the server exits to be restarted$/
  expect(words).toContainEqual(expect.stringMatching(last))
})

test('each request has its line in the access log, or is reported as missing, also at the end of a thread', async () => {
  const directory = createDirectory()
  const path = join(directory, 'access.log')
  const log = ['log.access=json', `log.access-file=${path}`]
  const { server, tell, lines, url } = await forkEdges(root, directory, 2, log)
  const release = join(directory, 'release')
  tell({ do: 'hold', until: release })
  await once(server, 'message')
  // A door that is not open is answered by the thread alone.
  const requests = 12_000
  const client = await createRawClient(Number(new URL(url).port))
  const answered = Promise.withResolvers<void>()
  let answers = 0
  client.socket.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === openBrace && ++answers === requests) answered.resolve()
  })
  client.send('GET /sourceConfig HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requests))
  await answered.promise
  client.socket.destroy()
  writeFileSync(release, '')
  const closed = once(server, 'close')
  server.kill('SIGTERM')
  expect(await closed).toEqual([0, null])
  const written = readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line.includes('"target":"/sourceConfig"')).length
  const missing = lines.reduce((sum, line) => sum + (line.missing ?? 0), 0)
  expect(missing).toBeGreaterThan(0)
  expect(written + missing).toBe(requests)
})
