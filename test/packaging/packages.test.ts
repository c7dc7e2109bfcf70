import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import engineOptions from '../../bin/engine-options.json' with { type: 'json' }
import { createGatewayClient } from '../../clients/gateway/gateway-client.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { installTools, typescript5 } from '../../scripts/generate/tools.ts'
import { startServer, type TestServer } from '../integration/clients/server.ts'
import { cleanUp, createDirectory, start } from '../integration/process/child.ts'
import { runtimes, whyNot } from '../interop/runtimes/runtime-process.ts'
import { describeBrowser } from '../suites/browser.ts'
import { cloneHere, env, install, run } from './make.ts'

const { version } = packageJson
const clientNames = ['beacon', 'client', 'gateway-client', 'tracker']

const clone = createDirectory()
/** Somebody's project that depends on the server, and another's that depends on the clients and nothing else. */
const [ofServer, ofClients] = [createDirectory(), createDirectory()]
const installed = join(ofServer, 'node_modules/sluice')
const sluice = join(ofServer, 'node_modules/.bin/sluice')
/** The oldest Node that is promised. */
const oldNode = join(ofServer, `node_modules/node-linux-${process.arch}/bin/node`)
let packed: { readonly size: number; readonly files: readonly { readonly path: string }[] }

beforeAll(async () => {
  await cloneHere(clone)
  const [answer] = JSON.parse(await run('npm', ['pack', '--json'], { cwd: clone })) as [typeof packed]
  packed = answer
  await run('npm', ['run', '--silent', 'build'], { cwd: clone })
  const folders = clientNames.map(name => `./dist/packages/${name}`)
  await run('npm', ['pack', '--silent', ...folders], { cwd: clone })

  for (const project of [ofServer, ofClients])
    writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
  const node = process.platform === 'linux' ? [`node-linux-${process.arch}@22.22.0`] : []
  await install(ofServer, [join(clone, `sluice-${version}.tgz`), ...node])
  await install(
    ofClients,
    clientNames.map(name => join(clone, `sluice-${name}-${version}.tgz`)),
  )
})
afterAll(cleanUp)

/** Where a program is written and started: below the project whose packages it imports. */
const createPlace = (project: string, name: string): string => {
  const place = join(project, name)
  mkdirSync(place, { recursive: true })
  return place
}

const programs = [
  ...runtimes.filter(({ name }) => ['Node', 'Deno', 'Bun'].includes(name)),
  ...(process.platform === 'linux' ? [{ name: 'Node 22.22', command: [oldNode, ''] as const }] : []),
].map(({ name, command }) => {
  const [program, ...args] = command
  // The reason for leaving it out is in the output of the runtimes' own tests. The old Node comes with the packages.
  const isThere = program === oldNode || whyNot({ name, command }) === undefined
  return { name, program, args: args.slice(0, -1), isThere }
})

describe('npm pack', () => {
  test('has what runs, its types and its papers, in at most 3 MB', () => {
    const paths = packed.files.map(({ path }) => path)
    const [papers, files] = [paths.filter(path => !path.includes('/')), paths.filter(path => path.includes('/'))]
    expect(papers.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    const known = /^bin\/(sluice\.js|engine-options\.json)$|^dist\/(src|admin|clients)\/|^dist\/package\.json$/
    expect(files.filter(path => !known.test(path))).toEqual([])
    expect(files.filter(path => /\/examples\/|\.test\.|\.map$|(?<!\.d)\.ts$/.test(path))).toEqual([])
    expect(packed.size).toBeLessThan(3_000_000)
  })

  test('has a manifest of its own, and nothing in it that only the clone needs', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
    const ours =
      'name version description license type engines bin files main types typesVersions exports dependencies'.split(' ')
    expect(Object.keys(manifest).sort()).toEqual([...ours, 'peerDependencies', 'peerDependenciesMeta'].sort())
    expect(manifest['dependencies']).toEqual(packageJson.dependencies)
    const dist = JSON.parse(readFileSync(join(installed, 'dist/package.json'), 'utf8'))
    expect(dist).toEqual({ name: 'sluice', version, type: 'module' })
  })

  test('leaves the clone as it was', async () => {
    expect(await run('git', ['status', '--porcelain'], { cwd: clone })).toBe('')
  })

  test('leaves the clone as it was when it is killed', async () => {
    const seen = watch(clone)
    const npm = spawn('npm', ['pack', '--pack-destination', createDirectory()], { cwd: clone, env, stdio: 'ignore' })
    const kept = join(clone, '.package.json.tmp')
    while (!existsSync(kept)) await once(seen, 'change')
    npm.kill('SIGKILL')
    await once(npm, 'exit')
    while (existsSync(kept)) await once(seen, 'change')
    seen.close()
    expect(await run('git', ['status', '--porcelain'], { cwd: clone })).toBe('')
  })
})

describe('what is installed', () => {
  const sources = new Map([
    ...Object.entries(packageJson.exports).map(
      ([name, { default: file }]) =>
        [join('sluice', name), file.replace('/dist/', '/').replace(/\.js$/, '.ts')] as const,
    ),
    ...globSync('clients/*/package.json').map(path => {
      const { name, exports } = JSON.parse(readFileSync(path, 'utf8')) as { name: string; exports: { '.': string } }
      return [name, join(path, '..', exports['.'])] as const
    }),
  ])

  test('every package has its exports looked at', () => {
    expect([...sources.keys()].filter(name => name.startsWith('@'))).toHaveLength(clientNames.length)
  })

  test.each([...sources])('%s is there by its name', async (name, source) => {
    const code = `console.log(JSON.stringify(Object.keys(await import('${name}'))))`
    const cwd = name.startsWith('@') ? ofClients : ofServer
    const names = await run(process.execPath, ['--input-type=module', '-e', code], { cwd })
    expect(JSON.parse(names).sort()).toEqual(Object.keys((await import(resolve(source))) as object).sort())
  })

  test.each([
    {
      project: ofServer,
      program: `import { createApp, type RowSerializer, type Settings } from 'sluice'
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
    },
    {
      project: ofClients,
      program: `import { createBeacon, field } from '@sluice/beacon'
import { createSluiceClient } from '@sluice/client'
import { createGatewayClient, GatewayError } from '@sluice/gateway-client'
import { createPostSender, createTracker } from '@sluice/tracker'
export const sent: string = createBeacon({ url: '' }).get('A', field.i32(1))
export const client = createSluiceClient({ baseUrl: '' })
// @ts-expect-error there is no such path
export const wrong = client.GET('/nowhere')
// @ts-expect-error a port is a number
export const files = createGatewayClient({ host: '', port: '8080' })
export const isMine = (error: unknown): boolean => error instanceof GatewayError && error.code === 'closed'
export const tracker = createTracker({
  sender: createPostSender({ url: '' }),
  directory: '',
  // @ts-expect-error a rejection has no such member
  onRejected: ({ nothing }) => nothing,
})
`,
    },
  ])('has types for what it exports: $program', async ({ project, program }) => {
    writeFileSync(join(project, 'types.ts'), program)
    const options = ['--target', 'es2024', '--lib', 'es2024,esnext,dom', '--strict', '--noEmit']
    const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types'), 'types.ts']
    expect(await run('tsc', [...options, '--module', 'nodenext', ...types], { cwd: project })).toBe('')
    // What reads no exports: TypeScript to 5.9. The declarations of other packages need not be for it.
    installTools()
    const tsc = [typescript5, '--module', 'esnext', '--skipLibCheck']
    const old = [...tsc, '--moduleResolution', 'node10', ...options, ...types]
    expect(await run(process.execPath, old, { cwd: project })).toBe('')
  })

  test('the clients bring nothing of the server', () => {
    expect(existsSync(join(ofClients, 'node_modules/sluice'))).toBe(false)
    expect(
      globSync('node_modules/*', { cwd: ofClients })
        .map(path => basename(path))
        .sort(),
    ).toEqual(['@sluice', 'openapi-fetch', 'openapi-typescript-helpers'])
  })
})

describe.each(programs)('on $name', ({ name, program, args, isThere }) => {
  test.skipIf(!isThere)(
    'a server starts, takes an event, shows it, and says its version',
    async () => {
      const settings = { SLUICE_DATA_DIR: createDirectory(), SLUICE_COLLECTOR_SCRIBE_PORT: '0' }
      const server = start(program, [...args, sluice, 'serve'], { cwd: ofServer, env: { ...env, ...settings } })
      const { server: url, admin, pid } = await server.logged('sluice is ready')
      if (name.startsWith('Node') && process.platform === 'linux') {
        expect(pid).toBe(server.process.pid)
        expect(readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').split('\0')).toEqual(
          expect.arrayContaining(engineOptions),
        )
      }
      expect((await fetch(`${String(url)}/1?v=Built,sfine`)).status).toBe(202)
      const flushed = await run('npx', ['sluice', 'flush', 'now', '--json', '--url', String(admin)], { cwd: ofServer })
      // It may have gone by itself in the meantime, and then there are no files left.
      expect(JSON.parse(flushed)).toMatchObject({ failures: 0 })
      const { hostname, port } = new URL(String(url))
      await using client = createGatewayClient({ host: hostname, port: Number(port) })
      const rows = await Array.fromAsync(client.rows('/events/Built', { recursive: true }))
      expect(rows).toEqual([expect.objectContaining({ 1: 'fine' })])
      for (const page of [`${String(url)}/docs`, `${String(admin)}/`])
        expect([page, (await fetch(page)).status]).toEqual([page, 200])
      expect(await (await fetch(`${String(admin)}/metrics`)).text()).toContain(`sluice_info{version="${version}"} 1`)
      server.process.kill('SIGTERM')
      expect(await server.ended()).toBe(0)
    },
    120_000,
  )

  test.skipIf(!isThere)('a program has the server as a function', async () => {
    const cwd = createPlace(ofServer, name)
    const file = join(cwd, 'app.mjs')
    writeFileSync(
      file,
      `import { createApp, loadConfig, silentLogger } from 'sluice'
const { settings } = loadConfig({ argv: [], env: { SLUICE_SERVER_PORT: '0', SLUICE_ADMIN_PORT: '0', SLUICE_COLLECTOR_SCRIBE_PORT: '0' }, cwd: ${JSON.stringify(cwd)}, readFile: () => { throw Object.assign(new Error('none'), { code: 'ENOENT' }) } })
const app = await createApp({ settings, logger: silentLogger })
await app.start()
console.log((await app.fetch(new Request('http://app/1?v=Called,s1'))).status)
await app.close()
`,
    )
    expect((await run(program, [...args, file], { cwd })).trim()).toBe('202')
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

  describe.each(programs)('on $name', ({ name, program, args, isThere }) => {
    test.skipIf(!isThere).each(examples)('$example', async ({ example, want }) => {
      const cwd = createPlace(ofClients, name)
      cpSync(join('clients', example), join(cwd, basename(example)))
      const stdout = await run(program, [...args, join(cwd, basename(example))], {
        cwd,
        env: { SLUICE_SERVER_URL: server.url, SCRIBE_PORT: String(server.scribePort) },
      })
      expect(stdout).toContain(want)
    })
  })

  describeBrowser('the beacon', browser => {
    const pages = [...readFileSync('clients/beacon/README.md', 'utf8').matchAll(/```html\n([\s\S]*?)```/g)]

    test('its README has a page with modules and one without', () => expect(pages).toHaveLength(2))

    test.each(pages.map(([, html = ''], i) => ({ html, type: `Page${i}` })))('its README’s $type sends', async page => {
      const script = page.html.replace("url: ''", `url: '${server.url}'`).replace(/\bPage(?=Opened|Left)/g, page.type)
      const site = createServer((request, response) => {
        const file = join(ofClients, 'node_modules/@sluice/beacon', basename(request.url ?? ''))
        const isScript = request.url?.endsWith('.js') ?? false
        response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
        response.end(
          isScript ? readFileSync(file) : `<!doctype html><link rel="icon" href="data:,"><title>A</title>${script}`,
        )
      })
      await new Promise<void>(done => site.listen(0, '127.0.0.1', done))
      const { port } = site.address() as { port: number }
      const origin = `http://127.0.0.1:${port}`
      try {
        const tab = await browser.open([origin, server.url])
        const arrived = tab.waitForResponse(response => response.url().includes(`/2?v=${page.type}Opened`))
        await tab.goto(`${origin}/news`)
        expect((await arrived).status()).toBe(202)
        await tab.goto('about:blank')
        // A beacon has no result, not even for the page.
        await expect.poll(() => rowsOf(`/events/${page.type}Left`)).toHaveLength(1)
        expect(await rowsOf(`/events/${page.type}Opened`)).toMatchObject([
          { 1: '/news', 2: expect.stringContaining('Mozilla') },
        ])
      } finally {
        site.closeAllConnections()
        site.close()
      }
    })
  })

  test.each(clientNames)('@sluice/%s is small, and its README leads nowhere', name => {
    expect(statSync(join(clone, `sluice-${name}-${version}.tgz`)).size).toBeLessThan(64 * 1024)
    expect(readFileSync(join(ofClients, 'node_modules/@sluice', name, 'README.md'), 'utf8')).not.toContain('](../')
  })
})
