import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createGatewayClient } from '../../clients/gateway/gateway-client.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { runtimes, whyNot } from '../interop/runtimes/runtime-process.ts'
import { describeBrowser } from '../suites/browser.ts'
import { startServer, type TestServer } from './clients/server.ts'
import { cleanUp, createDirectory, start } from './process/child.ts'

/** Without what an npm around this test says to its children; Deno takes any FORCE_COLOR for a wish for colours. */
const plain = Object.entries(process.env).filter(([name]) => !/^npm_|^FORCE_COLOR$/.test(name))
const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)
const env = { ...Object.fromEntries(plain), NO_COLOR: '1', PATH: path }

const run = async (program: string, args: readonly string[], options: { cwd: string; env?: object }): Promise<string> =>
  (await promisify(execFile)(program, args, { ...options, env: { ...env, ...options.env } })).stdout

/** Somebody's project that depends on the package and nothing else, and what came with it. */
const project = createDirectory()
const installed = join(project, 'node_modules/sluice')
const bin = join(project, 'node_modules/.bin/sluice')
let packed: readonly string[]

beforeAll(async () => {
  // Packing builds, and a build here would change what `bin/sluice.js` starts: a copy is packed.
  const clone = createDirectory()
  for (const name of [
    'src',
    'admin',
    'clients',
    'scripts',
    'bin',
    'openapi.yaml',
    'openapi-admin.yaml',
    'package.json',
  ])
    cpSync(name, join(clone, name), { recursive: true, filter: path => basename(path) !== 'node_modules' })
  for (const name of ['tsconfig.json', 'tsconfig.build.json', 'README.md', 'LICENSE', 'CHANGELOG.md'])
    cpSync(name, join(clone, name))
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'))
  const [answer] = JSON.parse(await run('npm', ['pack', '--json'], { cwd: clone })) as {
    filename: string
    files: { path: string }[]
  }[]
  packed = answer?.files.map(({ path }) => path) ?? []

  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
  const quick = ['--omit=optional', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...quick, join(clone, answer?.filename ?? '')], { cwd: project })
}, 180_000)
afterAll(cleanUp)

describe('the package', () => {
  test('has what runs, its types and its papers', () => {
    const [papers, files] = [packed.filter(path => !path.includes('/')), packed.filter(path => path.includes('/'))]
    expect(papers.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    expect(
      files.filter(
        path => !/^bin\/(sluice\.js|engine-options\.json)$|^dist\/(src|admin|clients)\/|^dist\/[^/]+$/.test(path),
      ),
    ).toEqual([])
    expect(files.filter(path => /\/examples\/|\.test\.|\.map$|(?<!\.d)\.ts$/.test(path))).toEqual([])
  })

  test.each(Object.entries(packageJson.exports))('%s is there by its name', async (name, { default: file }) => {
    const source = resolve(file.replace('/dist/', '/').replace(/\.js$/, '.ts'))
    const code = `console.log(JSON.stringify(Object.keys(await import('${join('sluice', name)}'))))`
    const names = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: project })
    expect(JSON.parse(names)).toEqual(Object.keys((await import(source)) as object))
  })

  test('has types for what it exports', async () => {
    writeFileSync(
      join(project, 'types.ts'),
      `import { createApp, type RowSerializer, type Settings } from 'sluice'
import { createBeacon } from 'sluice/beacon'
import { createSluiceClient } from 'sluice/client'
import { createGatewayClient } from 'sluice/gateway-client'
import { createTracker } from 'sluice/tracker'
export const known = [createApp, createBeacon, createGatewayClient, createSluiceClient, createTracker]
// @ts-expect-error what has no types would be any
export const wrong: readonly [string, string, string, string, string] = [...known]
export const portOf = (settings: Settings): number => settings['server.port']
export const serializer: Pick<RowSerializer, 'name'> = { name: 'mine' }
`,
    )
    const options = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,esnext', '--strict', '--noEmit']
    const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')]
    const args = [...options, ...types, 'types.ts']
    const { status, stdout } = spawnSync(resolve('node_modules/.bin/tsc'), args, { cwd: project, encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, ''])
  })

  test('starts a server, and a command line that steers it', async () => {
    const dataDir = createDirectory()
    const server = start(bin, ['serve'], {
      cwd: project,
      env: { ...env, SLUICE_DATA_DIR: dataDir, SLUICE_COLLECTOR_SCRIBE_PORT: '0' },
    })
    const { server: url, admin } = await server.logged('sluice is ready')
    expect((await fetch(`${String(url)}/1?v=Built,sfine`)).status).toBe(202)
    const flushed = await run('npx', ['sluice', 'flush', 'now', '--json', '--url', String(admin)], { cwd: project })
    expect(JSON.parse(flushed)).toMatchObject({ files: 1, failures: 0 })
    for (const page of [
      `${String(url)}/docs`,
      `${String(url)}/rest/1.0/hdfs?path=/events/Built`,
      `${String(admin)}/`,
    ]) {
      expect([page, (await fetch(page)).status]).toEqual([page, 200])
    }
    server.process.kill('SIGTERM')
    expect(await server.ended()).toBe(0)
  })
})

describe('the clients', () => {
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
      const cwd = join(project, runtime.name)
      mkdirSync(cwd, { recursive: true })
      cpSync(join('clients', example), join(cwd, basename(example)))
      const stdout = await run(program, [...args.slice(0, -1), join(cwd, basename(example))], {
        cwd,
        env: { SLUICE_SERVER_URL: server.url, SCRIBE_PORT: String(server.scribePort) },
      })
      expect(stdout).toContain(want)
    })
  })

  describeBrowser('the beacon', browser => {
    test('its README’s page sends when it opens and when it goes', async () => {
      const readme = readFileSync('clients/beacon/README.md', 'utf8')
      const script = /```html\n([\s\S]*?)```/.exec(readme)?.[1]?.replace("url: ''", `url: '${server.url}'`) ?? ''
      const code = readFileSync(join(installed, 'dist/clients/beacon.min.js'))
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
        expect(await rowsOf('/events/PageOpened')).toMatchObject([
          { 1: '/news', 2: expect.stringContaining('Mozilla') },
        ])
      } finally {
        site.closeAllConnections()
        site.close()
      }
    })
  })
})
