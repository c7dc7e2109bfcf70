import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { createTestServer, type TestServer } from '../suites/admin.ts'
import { describeBrowser } from '../suites/browser.ts'
import { chunksOf } from '../suites/filesystem.ts'
import { listAll } from '../suites/list-all.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'

/** What a page can do without the consent of the site it does it to. */
const page = (target: string, fields: string, enctype: string): string =>
  `<!doctype html><title>Win a prize</title>
<form id="form" method="post" action="${target}" enctype="${enctype}">${fields}<button>Win</button></form>`

const token = createToken()

/** @returns the id of a new session */
const logIn = async (origin: string): Promise<string> => {
  const body = new URLSearchParams({ token })
  const { headers } = await fetch(`${origin}/login`, { method: 'POST', body, redirect: 'manual' })
  const [, id] = /^sluice-session=([^;]{40,});/.exec(headers.get('set-cookie') ?? '') ?? []
  if (id === undefined) throw new Error('The login gave no session')
  return id
}

describeBrowser('S1: a page of another site', browser => {
  const files = createMemoryFileSystem()
  const pages = new Map<string, string>()
  let directory = ''
  let evil: Server
  let evilOrigin = ''
  const servers: TestServer[] = []
  const targets: { open: string; openAdmin: string; guarded: string; guardedAdmin: string }[] = []

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-csrf-'))
    const tokens = join(directory, 'tokens')
    writeFileSync(tokens, `ann read,write,view,operate sha256:${hashToken(token)}\n`)
    evil = createServer((request, response) => {
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(pages.get(request.url ?? '') ?? '<!doctype html>')
    })
    await new Promise<void>(done => evil.listen(0, '127.0.0.1', done))
    // Another origin of the same site: cookies with SameSite go there, so only the checks of the server are left.
    evilOrigin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`
    for (const set of [[], [`auth.tokens=${tokens}`]]) {
      servers.push(await createTestServer({ fileSystem: files, set, transport: 'node' }))
    }
    const [open, guarded] = servers
    if (!open || !guarded) throw new Error('no servers')
    targets.push({
      open: open.serverUrl,
      openAdmin: open.adminUrl,
      guarded: guarded.serverUrl,
      guardedAdmin: guarded.adminUrl,
    })
    await files.create('/f', chunksOf('x'))
  })
  afterAll(async () => {
    await Promise.all(servers.map(server => server.close()))
    evil.close()
    await rm(directory, { recursive: true, force: true })
  })

  const forms = [
    ['deletes nothing', '/rest/1.0/hdfs?path=/f&action=delete', '', 'application/x-www-form-urlencoded'],
    ['deletes nothing as text', '/rest/1.0/hdfs?path=/f&action=delete', '', 'text/plain'],
    ['uploads nothing', '/rest/1.0?path=/new', '<input name="a" value="x">', 'text/plain'],
    ['uploads no form', '/rest/1.0?path=/new', '<input type="file" name="file">', 'multipart/form-data'],
    ['appends nothing', '/webhdfs/v1/f?op=APPEND&data=true', '<input name="a" value="x">', 'text/plain'],
    ['does not log out', '/logout', '', 'application/x-www-form-urlencoded'],
    [
      'runs no operation',
      '/rpc',
      `<input name='{"jsonrpc":"2.0","id":1,"method":"exec","params":{"mbean":"sluice.metrics.collector:name=HDFSWriter","operation":"disableFlush"},"x":"' value='"}'>`,
      'text/plain',
    ],
  ] as const

  test.each(forms)('%s by a form', async (_, path, fields, enctype) => {
    const [target] = targets
    if (!target) throw new Error('no targets')
    const bases = path === '/rpc' ? [target.openAdmin, target.guardedAdmin] : [target.open, target.guarded]
    for (const base of bases) {
      pages.set('/attack', page(`${base}${path}`, fields, enctype))
      const opened = await browser.open([evilOrigin, base])
      const value = base === target.guarded || base === target.guardedAdmin ? await logIn(target.guarded) : 'any'
      await opened
        .context()
        .addCookies([{ name: 'sluice-session', value, url: base, httpOnly: true, sameSite: 'Strict' }])
      await opened.goto(`${evilOrigin}/attack`)
      const [answer] = await Promise.all([
        opened.waitForResponse(response => response.url().startsWith(base)),
        opened.getByRole('button', { name: 'Win' }).click(),
      ])
      expect(answer.status()).toBe(403)
      expect(await answer.request().headerValue('origin')).toBe(evilOrigin)
      expect((await listAll(files, '/')).map(({ path, length }) => [path, length])).toEqual([['/f', 1]])
    }
    for (const server of servers) expect(server.log.filter(({ msg }) => msg === 'management')).toEqual([])
  })
})

describeBrowser('S2: what is stored, opened by the WebHDFS API in a browser', browser => {
  const attack = `<script>fetch('/webhdfs/v1/f?op=DELETE',{method:'DELETE'})</script>`
  const files = createMemoryFileSystem()
  let server: TestServer
  beforeAll(async () => {
    server = await createTestServer({ fileSystem: files, transport: 'node' })
    await files.create('/f', chunksOf('x'))
    await files.create('/evil.html', chunksOf(`<!doctype html>${attack}`))
    await files.create('/evil.svg', chunksOf(`<svg xmlns="http://www.w3.org/2000/svg">${attack}</svg>`))
    await files.create(`/d/<script>fetch('\u2215f')<\u2215script>`, chunksOf(''))
  })
  afterAll(() => server.close())

  test.each([
    ['a page', '/evil.html?op=OPEN', true],
    ['a picture', '/evil.svg?op=OPEN', true],
    ['a name in a listing', '/d?op=LISTSTATUS', false],
    ['a path in an error', `/${encodeURIComponent(attack)}?op=OPEN`, false],
    ['a parameter in an error', `/f?op=${encodeURIComponent(attack)}`, false],
  ])('%s runs nothing', async (_, target, isDownload) => {
    const opened = await browser.open([server.serverUrl])
    const requests: string[] = []
    opened.on('request', request => void requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
    const address = `${server.serverUrl}/webhdfs/v1${target}`
    if (isDownload) {
      const [download] = await Promise.all([opened.waitForEvent('download'), opened.goto(address).catch(() => {})])
      await download.cancel()
    } else {
      await opened.goto(address, { waitUntil: 'networkidle' })
      expect(await opened.locator('script').count()).toBe(0)
    }
    expect(requests.filter(request => request.startsWith('DELETE'))).toEqual([])
    expect((await files.getFileStatus('/f')).length).toBe(1)
    await opened.close()
  })
})
