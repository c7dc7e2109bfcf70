/** What a process takes before it does anything: time until it answers, and memory once it is idle. */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { median } from '../median.ts'
import { hasProc, readResidentMb } from '../proc.ts'
import { type Server, startBare, startSluice } from '../servers.ts'
import type { MeasureSizes } from './size.ts'
import { toMegabytes, toMs } from './size.ts'

const runs = 5
const idleMs = 2_000
const pollMs = 1

const variants = [
  { what: 'whole server', settings: [] },
  { what: 'collector alone', settings: ['services=collector'] },
  { what: 'gateway alone', settings: ['services=gateway'] },
]

/** Rows for the whole server and each of its services, beside `node -e` with a `node:http` server. */
export const measureProcess: MeasureSizes = async options => {
  const bare = await measureStart(() => startBare(options, bareServer))
  const rows = []
  for (const { what, settings } of variants) {
    const mine = await measureStart(async () => {
      const data = await mkdtemp(join(options.directory, 'idle-'))
      const server = await startSluice(options, data, settings)
      return { ...server, stop: () => server.stop().then(() => rm(data, { recursive: true, force: true })) }
    })
    rows.push(
      { what: `start to \`/readyz\`, ${what}`, value: toMs(mine.ms), beside: toMs(bare.ms) },
      { what: `memory when idle, ${what}`, value: mine.memory, beside: bare.memory },
    )
  }
  return rows.toSorted((a, b) => Number(a.what.startsWith('memory')) - Number(b.what.startsWith('memory')))
}

const bareServer = `
  const server = require('node:http').createServer((request, response) => response.end('ok'))
  server.listen(0, '127.0.0.1', () => {
    const url = 'http://127.0.0.1:' + server.address().port
    console.log(JSON.stringify({ msg: 'bare is ready', server: url, admin: url }))
  })`

const measureStart = async (
  start: () => Promise<Server>,
): Promise<{ readonly ms: number; readonly memory: string }> => {
  const times: number[] = []
  const megabytes: number[] = []
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now()
    const server = await start()
    try {
      while (!(await fetch(`${server.url}/readyz`)).ok) await setTimeout(pollMs)
      times.push(performance.now() - startedAt)
      await setTimeout(idleMs)
      if (hasProc) megabytes.push(readResidentMb(server.pid))
    } finally {
      await server.stop()
    }
  }
  return { ms: median(times), memory: hasProc ? toMegabytes(median(megabytes) * 1e6) : 'skipped: no /proc here' }
}
