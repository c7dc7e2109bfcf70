import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { postJson, startTestServer, type TestServer } from '../suites/admin.ts'

/** `sluice tail` in a pipe. */
const tail = ({ adminUrl }: Pick<TestServer, 'adminUrl'>, ...words: readonly string[]) => {
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', NO_COLOR: '1' }
  const child = spawn(process.execPath, [resolve('bin/sluice.js'), 'tail', '--url', adminUrl, ...words], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ended = once(child, 'exit').then(([code]) => code as number)
  return {
    line: async (): Promise<string> => String((await lines.next()).value),
    stderr: text(child.stderr),
    ended,
    interrupt: () => child.kill('SIGINT'),
  }
}

test('U5: sluice tail shows refused events that are kept, and then events as they come', async () => {
  const server = await startTestServer({ transport: 'node' })
  await postJson(server, '{"eventName":"Order","payload":3}')
  const { line, interrupt, ended } = tail(server)
  expect(JSON.parse(await line())).toMatchObject({ kind: 'rejected', code: 'bad-event', sent: { bytes: 33 } })
  await postJson(server, '{"eventName":"Order","payload":{"id":12345678901234567890}}')
  expect(await line()).toMatch(/^\{"kind":"accepted",.*"type":"Order",.*"fields":\{"id":12345678901234567890\}\}$/)
  interrupt()
  expect(await ended).toBe(0)
})

test('shows what it is asked for, and ends after so many', async () => {
  const server = await startTestServer({ transport: 'node' })
  await postJson(server, '{"eventName":"Order","payload":3}')
  await postJson(server, '{"eventName":"Page","payload":"home"}')
  const { line, ended } = tail(server, 'Pag*', '--rejected', '--text', 'HOME', '--limit', '1')
  expect(JSON.parse(await line())).toMatchObject({ sent: { text: expect.stringContaining('Page') } })
  expect(await ended).toBe(0)
})

test('shows events by what their fields hold, and says what it cannot read', async () => {
  const server = await startTestServer({ transport: 'node' })
  await postJson(server, '{"eventName":"Order","payload":3}')
  const { line, ended } = tail(server, '--where', 'status >= 500', '--limit', '1')
  // A viewer is connected once a refused request has reached another viewer.
  const other = tail(server, '--rejected')
  await other.line()
  const sent = setInterval(() => {
    void postJson(
      server,
      '[{"eventName":"Page","payload":{"status":200}},{"eventName":"Page","payload":{"status":503}}]',
    )
  }, 100)
  onTestFinished(() => clearInterval(sent))
  expect(JSON.parse(await line())).toMatchObject({ kind: 'accepted', fields: { status: 503 } })
  expect(await ended).toBe(0)
  const wrong = tail(server, '--where', 'status >=')
  expect([await wrong.ended, await wrong.stderr]).toEqual([1, expect.stringContaining('where: ')])
})

test('says where it should be asked, and who may', async () => {
  const server = await startTestServer({ transport: 'node' })
  const wrong = tail({ adminUrl: server.serverUrl })
  expect([await wrong.ended, await wrong.stderr]).toEqual([
    1,
    expect.stringContaining('Is this the management listener?'),
  ])
  const nobody = tail({ adminUrl: 'http://127.0.0.1:1' })
  expect([await nobody.ended, await nobody.stderr]).toEqual([3, expect.stringContaining('Nothing answers')])
})

test('waits for a server that went away', async () => {
  const server = await startTestServer({ transport: 'node' })
  const { line, stderr, interrupt, ended } = tail(server)
  await postJson(server, '{"eventName":"Order","payload":3}')
  expect(await line()).toContain('"rejected"')
  const { port } = new URL(server.adminUrl)
  await server.close()
  // Its numbers start over.
  const startMs = server.clock.ms + 1
  const next = await startTestServer({ transport: 'node', set: [`admin.port=${port}`], startMs })
  await postJson(next, '{"eventName":"Late","payload":3}')
  expect(await line()).toContain('Late')
  interrupt()
  expect(await ended).toBe(0)
  expect(await stderr).toContain('has ended; waiting for it')
})

/** Leads to a server, and can be cut. */
const startWire = async (url: string) => {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const wire = createServer(near => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  await once(wire.listen(0, '127.0.0.1'), 'listening')
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  onTestFinished(() => {
    cut()
    wire.close()
  })
  return { adminUrl: `http://127.0.0.1:${(wire.address() as AddressInfo).port}`, cut }
}

test('after a cut the refused events that the server keeps come once, with those that were missed', async () => {
  const server = await startTestServer({ transport: 'node' })
  const { adminUrl, cut } = await startWire(server.adminUrl)
  await postJson(server, '{"eventName":"First","payload":3}')
  await postJson(server, '{"eventName":"Second","payload":3}')
  const { line, interrupt, ended } = tail({ adminUrl })
  expect([await line(), await line()]).toEqual([expect.stringContaining('First'), expect.stringContaining('Second')])
  cut()
  await postJson(server, '{"eventName":"Missed","payload":3}')
  expect(await line()).toContain('Missed')
  cut()
  await postJson(server, '{"eventName":"Last","payload":3}')
  expect(await line()).toContain('Last')
  interrupt()
  expect(await ended).toBe(0)
})
