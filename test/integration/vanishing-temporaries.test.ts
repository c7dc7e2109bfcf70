import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { openLocalStore } from '../foreign/store.ts'
import { drainFully } from '../suites/drain-fully.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Removes whatever appears in temporary directories below the output directory, as fast as a shell can. */
const removeTemporaries = (server: Sluice): { stop(): Promise<void> } => {
  const script = 'while :; do rm -f "$1"/fs/events/_tmp/*/*; done'
  const shell = spawn('sh', ['-c', script, 'sh', server.directory], { stdio: 'ignore' })
  const stop = async (): Promise<void> => {
    if (shell.exitCode !== null || shell.signalCode !== null) return
    shell.kill('SIGKILL')
    await once(shell, 'exit')
  }
  ends.push(stop)
  return { stop }
}

test('R7: temporary files that vanish all the time cost no event, and double none', async () => {
  const lines: string[] = []
  const sluice = await createSluice({ onLine: line => lines.push(line) })
  ends.push(() => sluice.close())
  await sluice.start()
  const remover = removeTemporaries(sluice)
  const load = sluice.load(4)
  await sluice.acknowledged(10_000)
  await load.stop()
  await remover.stop()
  await drainFully(sluice)
  const { lost, twice, unknown, refused, ...figures } = await sluice.reckon(openLocalStore(`${sluice.directory}/fs`))
  expect({ lost, twice, unknown, refused }).toEqual(allIsWell)
  expect(figures).toMatchObject({ waiting: 0, flushedByLedger: figures.found })
  // The loop was there in time to do harm.
  expect(lines.filter(line => line.includes('commit failed')).length).toBeGreaterThan(0)
})
