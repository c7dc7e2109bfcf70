import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { createGatewayClient } from '../../clients/gateway/gateway-client.ts'
import { createPostSender, createTracker } from '../../clients/tracker/index.ts'
import { startServer } from './clients/server.ts'

const rounds = 3
const eventsOfRound = 400

test('kill -9 of the tracking process loses no event, and sends none twice', async () => {
  const server = await startServer()
  try {
    const directory = join(server.directory, 'tracker')
    const safe: number[] = []
    for (let round = 0; round < rounds; round++) {
      const first = String(round * 1_000_000)
      const script = resolve('test/integration/clients/track-child.ts')
      const child = spawn(process.execPath, [script, server.url, directory, first], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const before = safe.length
      const lines = createInterface(child.stdout)
      lines.on('line', line => {
        safe.push(Number(line))
        if (safe.length - before >= eventsOfRound) child.kill('SIGKILL')
      })
      await Promise.all([once(child, 'exit'), once(lines, 'close')])
    }
    const onRejected = (): void => {}
    const last = await createTracker({ sender: createPostSender({ url: server.url }), directory, onRejected })
    expect(await last.close()).toMatchObject({ waitingBatches: 0, waitingBytes: 0, rejected: 0 })
    await server.commit()
    await using client = createGatewayClient(server)
    const found: number[] = []
    for await (const row of client.rows('/events/Killed', { recursive: true })) found.push(Number(row['n']))
    expect(safe.length).toBeGreaterThanOrEqual(rounds * eventsOfRound)
    expect(new Set(found).size).toBe(found.length)
    expect(safe.filter(n => !found.includes(n))).toEqual([])
  } finally {
    await server.close()
  }
})
