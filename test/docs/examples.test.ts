import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findFreePorts } from '../../scripts/free-ports.ts'
import { buildBeacon } from '../../scripts/generate/beacon.ts'
import { readEvents } from '../foreign/read-events.ts'
import { openLocalStore } from '../foreign/store.ts'
import { makePythonEnvironment, type PythonEnvironment } from '../interop/python-environment.ts'
import { describeBrowser } from '../suites/browser.ts'
import { describePart } from '../suites/describe-part.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

const example = (path: string): string => fileURLToPath(new URL(`../../docs/examples/${path}`, import.meta.url))

/** A program as a user starts it; its output is read line by line. */
type Program = {
  readonly child: ChildProcess
  readonly lines: readonly string[]
  /** Resolves to the first line that matches, also an earlier one. */
  line(pattern: RegExp): Promise<string>
  /** Resolves to its exit code. */
  readonly exit: Promise<number | null>
}

const start = (command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program => {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_'))
  const child = spawn(command, args, { env: { ...Object.fromEntries(own), PYTHONUTF8: '1', ...env } })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', line => {
      lines.push(line)
      for (const look of waiting) look()
    })
  }
  const exit = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exit
  })
  return {
    child,
    lines,
    exit,
    line: pattern =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(line => pattern.test(line))
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void exit.then(code => reject(new Error(`It ended with ${code} before ${pattern}:\n${lines.join('\n')}`)))
      }),
  }
}

describeBrowser('docs/examples/page', browser => {
  test('the beacon beside the page is the one that the sources make', async () => {
    expect(readFileSync(example('page/beacon.min.js'), 'utf8')).toBe(`${await buildBeacon()}\n`)
  })

  test('one command: a click shows in the live view, and so does a refusal', async () => {
    const env = { PORT: '0', SLUICE_SERVER_PORT: '0', SLUICE_ADMIN_PORT: '0', SLUICE_COLLECTOR_SCRIBE_PORT: '0' }
    const program = start(process.execPath, [example('page/run.js'), '--no-open'], env)
    const [url = ''] = /http:\S+/.exec(await program.line(/^The page:/)) ?? []
    const [live = ''] = /http:\S+/.exec(await program.line(/^Its events:/)) ?? []
    const [files = ''] = /http:\S+/.exec(await program.line(/^The files:/)) ?? []
    const origins = [url, live, files].map(address => new URL(address).origin)
    const page = await browser.open(origins)
    await page.goto(url)
    const shown = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Watch the events' }).click()
    const view = await shown
    await view.locator('.live-state', { hasText: 'Live' }).waitFor()
    const row = (text: string) => view.locator('.live-row', { hasText: text })
    await page.getByRole('button', { name: 'Hat' }).click()
    await row('Bought').getByText('hat').first().waitFor()
    await page.getByRole('button', { name: 'broken' }).click()
    await row('bad-event').first().waitFor()
    await page.goto('about:blank')
    await row('PageLeft').first().waitFor()
    await page.goto(url)
    await row('PageOpened').first().waitFor()
    program.child.kill('SIGTERM')
    expect(await program.exit).toBe(0)
  })
})

describe('docs/examples/python-sender', () => {
  const script = example('python-sender/send.py')
  const eventCount = 6_000
  const batch = 20

  let directory: string
  let file: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-sender-'))
    file = join(directory, 'events.jsonl')
    const lines = Array.from({ length: eventCount }, (_, n) => JSON.stringify({ eventName: 'Counted', payload: { n } }))
    writeFileSync(file, `${lines.join('\n')}\n`)
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  const startServer = async (): Promise<{ readonly sluice: Sluice; readonly url: string }> => {
    const [port] = await findFreePorts(1)
    const sluice = await createSluice({ settings: [`server.port=${port}`] })
    onTestFinished(() => sluice.close())
    await sluice.start()
    return { sluice, url: `http://127.0.0.1:${port}` }
  }

  /** How often each number is in the files, of a server that has drained. */
  const countOf = async (sluice: Sluice): Promise<ReadonlyMap<number, number>> => {
    const { events } = await readEvents(openLocalStore(join(sluice.directory, 'fs')), '/events')
    const counts = new Map<number, number>()
    for (const { fields } of events) {
      const n = Number(fields.find(([name]) => name === 'n')?.[1])
      counts.set(n, (counts.get(n) ?? 0) + 1)
    }
    return counts
  }

  /** Nothing lost: each number is there. Nothing twice: each of them once. */
  const expectEachOnce = async (sluice: Sluice): Promise<void> => {
    expect(await sluice.drain()).toBe(0)
    const counts = await countOf(sluice)
    expect([...counts].filter(([, count]) => count !== 1)).toEqual([])
    expect(counts.size).toBe(eventCount)
  }

  const copyOf = (name: string): string => {
    const path = join(directory, name)
    cpSync(file, path)
    return path
  }

  test('the three events beside it: one command', async () => {
    const { sluice, url } = await startServer()
    const events = join(directory, 'three.jsonl')
    cpSync(example('python-sender/events.jsonl'), events)
    const program = start('python3', [script, events, '--url', url])
    expect(await program.exit).toBe(0)
    expect(program.lines.at(-1)).toBe('3 accepted, 0 refused')
    // All of it was sent: there is nothing to send again.
    const again = start('python3', [script, events, '--url', url])
    expect(await again.exit).toBe(0)
    expect(again.lines.at(-1)).toBe('0 accepted, 0 refused')
    expect(await sluice.drain()).toBe(0)
  })

  test('a server that is killed and drained under load, a sender that is killed: nothing lost, nothing twice', async () => {
    const { sluice, url } = await startServer()
    const events = copyOf('killed.jsonl')
    const send = (): Program => start('python3', [script, events, '--url', url, '--batch', String(batch)])
    let program = send()
    for (const [accepted, what] of [
      [400, 'kill'],
      [1_200, 'drain'],
      [2_000, 'kill'],
    ] as const) {
      await program.line(new RegExp(`^${accepted} accepted`))
      await (what === 'kill' ? sluice.kill() : sluice.drain())
      await program.line(/^waiting/)
      await sluice.start()
    }
    await program.line(/^2800 accepted/)
    program.child.kill('SIGKILL')
    await program.exit
    program = send()
    expect(await program.exit).toBe(0)
    await expectEachOnce(sluice)
  })

  /**
   * A proxy that treats each request as configured: passes it on with its answer, refuses it itself, or passes it on
   * and then calls `lose` in place of answering.
   */
  const startProxy = async (
    url: string,
    fateOf: (request: IncomingMessage) => 'answered' | 'refused' | 'lost',
    lose: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<string> => {
    const proxy = createServer((incoming, outgoing) => {
      const fate = fateOf(incoming)
      if (fate === 'refused') {
        incoming.resume()
        outgoing.writeHead(503, { 'Retry-After': '1' }).end()
        return
      }
      const { method, headers } = incoming
      const onward = request(`${url}${incoming.url}`, { method, headers }, answer => {
        if (fate === 'answered') {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(outgoing)
        } else answer.resume().on('end', () => lose(incoming, outgoing))
      })
      incoming.pipe(onward)
    })
    await new Promise<void>(done => proxy.listen(0, '127.0.0.1', done))
    onTestFinished(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  }

  test('answers that are lost, refusals that ask to wait: nothing lost, nothing twice', async () => {
    const { sluice, url } = await startServer()
    let count = 0
    const keys = new Map<string, number>()
    const fateOf = (incoming: IncomingMessage) => {
      const key = String(incoming.headers['idempotency-key'])
      keys.set(key, (keys.get(key) ?? 0) + 1)
      count++
      if (count === 10) return 'refused'
      return count % 3 === 0 ? 'lost' : 'answered'
    }
    // Nothing of it arrives, or half.
    const proxy = await startProxy(url, fateOf, (incoming, outgoing) => {
      if (count % 2 === 0) incoming.socket.destroy()
      else {
        outgoing.writeHead(202, { 'Content-Length': 100 })
        outgoing.write('{"accepted":', () => incoming.socket.destroy())
      }
    })
    const program = start('python3', [script, copyOf('cut.jsonl'), '--url', proxy, '--batch', '100'])
    expect(await program.exit).toBe(0)
    const waits = program.lines.filter(line => line.startsWith('waiting'))
    expect(waits.length).toBeGreaterThan(10)
    // A second, and the jitter on top of it.
    const [told] = waits.filter(line => line.includes('503')).map(line => Number(/[\d.]+/.exec(line)?.[0]))
    expect(told).toBeGreaterThanOrEqual(1)
    expect(Math.max(...keys.values())).toBeGreaterThan(1)
    expect(keys.size).toBe(eventCount / 100)
    await expectEachOnce(sluice)
  })

  test('a sender that is killed when the server has the batch, and it does not know: once', async () => {
    const { sluice, url } = await startServer()
    let count = 0
    const killed = Promise.withResolvers<void>()
    const proxy = await startProxy(
      url,
      () => (++count === 3 ? 'lost' : 'answered'),
      () => killed.resolve(),
    )
    const events = copyOf('half-known.jsonl')
    const program = start('python3', [script, events, '--url', proxy, '--batch', '500'])
    await killed.promise
    program.child.kill('SIGKILL')
    await program.exit
    // The batch that was under way goes out as it was, whatever the next ones are.
    const again = start('python3', [script, events, '--url', url, '--batch', '1000'])
    expect(await again.exit).toBe(0)
    await expectEachOnce(sluice)
  })

  test('a refusal of the server is reported, and not sent endlessly', async () => {
    const { url } = await startServer()
    const events = join(directory, 'refused.jsonl')
    writeFileSync(events, '{"payload":{"n":1}}\n{"eventName":"Counted","payload":{"n":2}}\n')
    const program = start('python3', [script, events, '--url', url])
    expect(await program.exit).toBe(1)
    expect(program.lines.join('\n')).toMatch(/refused: .*eventName is missing[\s\S]*1 accepted, 1 refused/)
    writeFileSync(join(directory, 'no-json.jsonl'), 'never\n')
    const never = start('python3', [script, join(directory, 'no-json.jsonl'), '--url', url])
    expect(await never.exit).toBe(1)
    expect(never.lines.join('\n')).toMatch(/^400: /)
  })
})

const environment: PythonEnvironment = await makePythonEnvironment('examples', example('duckdb-day/requirements.txt'))

describePart('readers', 'missing' in environment ? environment.missing : undefined, 'docs/examples/duckdb-day', () => {
  test('one command: a day of Parquet, and what DuckDB says of it', async () => {
    if ('missing' in environment) throw new Error(environment.missing)
    const directory = await mkdtemp(join(tmpdir(), 'sluice-day-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const words = [example('duckdb-day/day.py'), '--events', '2000', '--directory', directory]
    // No `sluice` on the path: the clone's own.
    const program = start(environment.python, words)
    expect(await program.exit).toBe(0)
    const text = program.lines.join('\n')
    const [, accepted] = /^(\d+) events accepted/m.exec(text) ?? []
    expect(Number(accepted)).toBeGreaterThanOrEqual(2000)
    expect(text).toMatch(/│ 00 [\s\S]*│ 23 /)
    expect(text).toMatch(/24 rows/)
    expect(text).toMatch(/turnover[\s\S]*coat/)
    expect(text).toMatch(/buyers/)
    expect(existsSync(join(directory, 'fs/events/PageView'))).toBe(true)
  })
})
