import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createGatewayClient } from '../../clients/gateway/gateway-client.ts'
import { buildBeacon } from '../../scripts/generate/beacon.ts'
import { describeBrowser } from '../suites/browser.ts'
import { startServer, type TestServer } from './clients/server.ts'
import { runtimes, whyNot } from './runtimes/runtime-process.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const rowsOf = async (path: string) => {
  await server.commit()
  await using client = createGatewayClient(server)
  return await Array.fromAsync(client.rows(path, { recursive: true }))
}

/** Each as people would run it. */
const examples = [
  { example: 'generated/examples/call.ts', want: '/ has ' },
  { example: 'tracker/examples/post.ts', want: '2 accepted, 0 batches wait' },
  { example: 'tracker/examples/fields.ts', want: 'accepted: 1' },
  { example: 'gateway/examples/files.ts', want: 'sluice 7\ngate 4\n16 bytes in words.txt\nnot-found' },
]
const programs = runtimes.filter(({ name }) => ['Node', 'Deno', 'Bun'].includes(name))

describe.each(programs)('on $name', runtime => {
  const [program, ...args] = runtime.command
  const reason = whyNot(runtime)

  // Why it is left out stands in the output of the runtimes' own tests.
  test.skipIf(reason !== undefined).each(examples)('$example', async ({ example, want }) => {
    const cwd = `${server.directory}/${runtime.name}`
    await mkdir(cwd, { recursive: true })
    // Deno takes any FORCE_COLOR for a wish for colours.
    const { FORCE_COLOR: _, ...plain } = process.env
    const env = { ...plain, SLUICE_SERVER_URL: server.url, SCRIBE_PORT: String(server.scribePort) }
    const command = [...args.slice(0, -1), resolve('clients', example)]
    const { stdout } = await promisify(execFile)(program, command, { cwd, env: { ...env, NO_COLOR: '1' } })
    expect(stdout).toContain(want)
  })
})

describeBrowser('the beacon', browser => {
  test('its README’s page sends when it opens and when it goes', async () => {
    const readme = readFileSync('clients/beacon/README.md', 'utf8')
    const script = /```html\n([\s\S]*?)```/.exec(readme)?.[1]?.replace("url: ''", `url: '${server.url}'`) ?? ''
    const code = await buildBeacon()
    const site = createServer((request, response) => {
      const isScript = request.url === '/beacon.min.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      response.end(isScript ? code : `<!doctype html><link rel="icon" href="data:,"><title>A</title>${script}`)
    })
    await new Promise<void>(done => site.listen(0, '127.0.0.1', done))
    const { port } = site.address() as { port: number }
    const origin = `http://127.0.0.1:${port}`
    try {
      const page = await browser.open([origin, server.url])
      const arrived = page.waitForResponse(response => response.url().includes('/2?v=PageOpened'))
      await page.goto(`${origin}/news`)
      expect((await arrived).status()).toBe(202)
      await page.goto('about:blank')
      // Nobody waits for a beacon, not even the page.
      await vi.waitFor(async () => expect(await rowsOf('/events/PageLeft')).toHaveLength(1), { timeout: 10_000 })
      expect(await rowsOf('/events/PageOpened')).toMatchObject([{ 1: '/news', 2: expect.stringContaining('Mozilla') }])
    } finally {
      site.closeAllConnections()
      site.close()
    }
  })
})
