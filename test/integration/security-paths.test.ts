import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hadoopOf } from '../../src/filesystem/facets.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { createMountTable } from '../../src/filesystem/mounts.ts'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { createTestServer, postJson } from '../suites/admin.ts'
import { chunksOf, listNames } from '../suites/filesystem.ts'
import { createTestGateway, type TestGateway } from '../suites/gateway.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { listAll } from '../suites/list-all.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'

/** The text after the directory in a `path`, as in the URL, and the only name that it may create there. */
const attempts: readonly (readonly [given: string, name: string | undefined])[] = [
  ['%00', undefined],
  ['f%00.txt', undefined],
  ['..%2f..%2f..%2f..%2f..%2fsecret', undefined],
  ['%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret', undefined],
  ['../../../../../../secret', undefined],
  // Decoded once: what is left are names, not ways.
  ['%252e%252e%252fsecret', '%2e%2e%2fsecret'],
  ['..%5c..%5csecret', '..\\..\\secret'],
  ['%255c', '%5c'],
  ['....', '....'],
  ['%ef%bc%8e%ef%bc%8e', '\uff0e\uff0e'],
  // Overlong UTF-8 is neither a dot nor a slash.
  ['%c0%ae%c0%ae%c0%afsecret', '\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdsecret'],
  ['%e0%80%ae%e0%80%ae', '\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd'],
  // Nothing of it becomes a parameter of WebHDFS.
  ['f%3fop%3dDELETE%26recursive%3dtrue', 'f?op=DELETE&recursive=true'],
  ['f%26user.name%3droot', 'f&user.name=root'],
  ['f%23', 'f#'],
  ['%0d%0aSet-Cookie%3a%20a%3db', '\r\nSet-Cookie: a=b'],
]

/** The same for every file system, through the gateway: a path is refused, or names one entry of its directory. */
const describePaths = (name: string, open: () => Promise<{ readonly fs: FileSystem; readonly base: string }>): void => {
  describe(`S4: paths of ${name}`, () => {
    let gateway: TestGateway
    let fs: FileSystem
    let base = ''
    beforeAll(async () => {
      ;({ fs, base } = await open())
      gateway = await createTestGateway({ fileSystem: fs })
      await hadoopOf(fs).create(`${base}/neighbour`, chunksOf('untouched'))
    })
    afterAll(async () => {
      await gateway.close()
      await fs.delete(base, { recursive: true }).catch(() => false)
    })

    test.each(attempts)('%s', async (given, wanted) => {
      const before = await listNames(fs, '/')
      const target = `/rest/1.0?path=${encodeURIComponent(base)}/dir/${given}`
      const answer = await gateway.call(`${target}&overwrite=true`, { method: 'POST', body: 'x' })
      if (wanted === undefined) expect(answer.status).toBe(400)
      // HDFS refuses some names that others take.
      else if (answer.status !== 400) {
        expect(answer.status).toBe(201)
        expect(await answer.json()).toMatchObject({ path: `${base}/dir/${wanted}` })
        expect(await listNames(fs, `${base}/dir`)).toEqual([wanted])
        const location = answer.headers.get('location') ?? ''
        const download = await gateway.call(location)
        expect([location, [...download.headers].join()].join()).not.toMatch(/[\r\n]/)
        expect(download.headers.get('set-cookie')).toBeNull()
        expect(await download.text()).toBe('x')
        const link = await gateway.call(`/files${base}/dir/${encodeURIComponent(wanted)}`)
        expect([...link.headers].join()).not.toMatch(/[\r\n]/)
        expect(await link.text()).toBe('x')
        expect((await gateway.call(target, { method: 'DELETE' })).status).toBe(200)
        expect(await listNames(fs, `${base}/dir`)).toEqual([])
      }
      for (const route of ['hdfs', 'json', 'text', 'binary']) {
        const read = await gateway.call(`/rest/1.0/${route}?path=${encodeURIComponent(base)}/dir/${given}`)
        expect([400, 404], route).toContain(read.status)
        await read.body?.cancel()
      }
      const link = await gateway.call(`/files${base.split('/').map(encodeURIComponent).join('/')}/dir/${given}`)
      expect([400, 404], 'files').toContain(link.status)
      await link.body?.cancel()
      expect(await listNames(fs, '/')).toEqual(before)
      expect((await fs.getFileStatus(`${base}/neighbour`)).length).toBe('untouched'.length)
    })

    test.each(attempts)('%s by WebHDFS', async (given, wanted) => {
      const before = await listNames(fs, '/')
      const target = (query: string): string =>
        `/webhdfs/v1${base.split('/').map(encodeURIComponent).join('/')}/web/${given}?op=${query}`
      const answer = await gateway.call(target('CREATE&overwrite=true&data=true'), { method: 'PUT', body: 'x' })
      if (answer.status === 201) {
        expect(await listNames(fs, `${base}/web`)).toEqual([wanted])
        expect([...answer.headers].join()).not.toMatch(/[\r\n]/)
        expect(answer.headers.get('set-cookie')).toBeNull()
        const download = await gateway.call(target('OPEN'))
        expect([...download.headers].join()).not.toMatch(/[\r\n]/)
        expect(await download.text()).toBe('x')
        expect((await gateway.call(target('DELETE'), { method: 'DELETE' })).status).toBe(200)
        expect(await listNames(fs, `${base}/web`)).toEqual([])
      } else expect([400, 404, 405]).toContain(answer.status)
      if (wanted === undefined) expect(answer.status).not.toBe(201)
      for (const query of ['OPEN', 'GETFILESTATUS', 'LISTSTATUS']) {
        const read = await gateway.call(target(query))
        expect([400, 404], query).toContain(read.status)
        await read.body?.cancel()
      }
      const way = `RENAME&destination=${encodeURIComponent(base)}/moved/${given}`
      const moved = await gateway.call(`/webhdfs/v1${base}/neighbour?op=${way}`, { method: 'PUT' })
      expect([200, 400]).toContain(moved.status)
      if (moved.status === 200) expect(await moved.json()).toEqual({ boolean: false })
      expect(await listNames(fs, '/')).toEqual(before)
      expect((await fs.getFileStatus(`${base}/neighbour`)).length).toBe('untouched'.length)
    })

    test.each(['..', '.', '', '../x', '/x', 'a/b', 'a\0b', '..%2Fx'])('the file name %j of a form', async name => {
      const form = new FormData()
      form.append('file', new Blob(['x']), name)
      const target = `/rest/1.0?path=${encodeURIComponent(`${base}/forms/`)}`
      const answer = await gateway.call(target, { method: 'POST', body: form })
      if (name === '..%2Fx') expect(await answer.json()).toMatchObject({ path: `${base}/forms/..%2Fx` })
      else expect(answer.status).toBe(400)
    })
  })
}

const directory = mkdtempSync(join(tmpdir(), 'sluice-paths-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const open = (fs: FileSystem, base = '/base'): Promise<{ fs: FileSystem; base: string }> =>
  Promise.resolve({ fs, base })

describePaths('the memory', () => open(createMemoryFileSystem()))
describePaths('the local disk', async () => open(await createLocalFileSystem({ root: join(directory, 'root') })))
describePaths('a mount', async () => {
  const local = await createLocalFileSystem({ root: join(directory, 'mounted') })
  return open(
    createMountTable(createMemoryFileSystem(), [{ path: '/mnt/local', fileSystem: local }]),
    '/mnt/local/base',
  )
})
describeHdfs('a real HDFS', ({ webhdfsUrl }) =>
  describePaths('a real HDFS', () =>
    open(
      createMountTable(createMemoryFileSystem(), [
        { path: '/hdfs', fileSystem: createWebHdfsFileSystem({ urls: [webhdfsUrl] }) },
      ]),
      `/hdfs/paths-${process.pid}-${Date.now()}`,
    ),
  ),
)

describe('S4: links of the local disk', () => {
  test.each(['/link', '/link/secret', '/secret-link', '/deep/../link/secret', '/up/secret'])('%s', async path => {
    const top = mkdtempSync(join(directory, 'links-'))
    const root = join(top, 'root')
    mkdirSync(join(root, 'deep'), { recursive: true })
    writeFileSync(join(top, 'secret'), 'top secret')
    symlinkSync(top, join(root, 'link'))
    symlinkSync(join(top, 'secret'), join(root, 'secret-link'))
    symlinkSync('..', join(root, 'up'))
    const gateway = await createTestGateway({ fileSystem: await createLocalFileSystem({ root }) })
    try {
      const routes = ['hdfs', 'json', 'text', 'binary'].map(one => `/rest/1.0/${one}?recursive=true&path=`)
      for (const route of [...routes, '/files']) {
        const answer = await gateway.call(`${route}${path}`)
        expect([400, 404], route).toContain(answer.status)
        expect(await answer.text()).not.toContain('top secret')
      }
      for (const query of ['OPEN', 'LISTSTATUS', 'GETFILESTATUS', 'GETCONTENTSUMMARY', 'GETFILEBLOCKLOCATIONS']) {
        const answer = await gateway.call(`/webhdfs/v1${encodeURI(path)}?op=${query}`)
        expect([400, 404], query).toContain(answer.status)
        expect(await answer.text()).not.toContain('top secret')
      }
      for (const [method, query] of [
        ['PUT', 'CREATE&data=true&overwrite=true'],
        ['POST', 'APPEND&data=true'],
        ['PUT', 'SETPERMISSION&permission=777'],
        ['PUT', 'SETTIMES&modificationtime=1000'],
        ['PUT', 'RENAME&destination=/got'],
      ] as const) {
        await gateway.call(`/webhdfs/v1${encodeURI(path)}?op=${query}`, { method, body: 'x' })
        const found = await gateway.call('/webhdfs/v1/got?op=OPEN')
        expect(await found.text(), query).not.toContain('top secret')
        // A link itself may be moved: it leads nowhere from there, either.
        await gateway.call(`/webhdfs/v1/got?op=RENAME&destination=${path}`, { method: 'PUT' })
      }
      expect(readFileSync(join(top, 'secret'), 'utf8')).toBe('top secret')
      expect(statSync(join(top, 'secret')).mode & 0o777).toBe(0o644)
      expect(statSync(join(top, 'secret')).mtimeMs).toBeGreaterThan(1_000)
      const listing = await gateway.call('/rest/1.0/json?path=/&recursive=true')
      const { entries } = (await listing.json()) as { entries: readonly { path: string }[] }
      expect(entries.map(entry => entry.path)).toEqual(['/deep'])
      const upload = `/rest/1.0?path=${encodeURIComponent(path)}&overwrite=true`
      expect((await gateway.call(upload, { method: 'POST', body: 'x' })).status).toBe(400)
      await gateway.call(`/rest/1.0?path=${path}&recursive=true`, { method: 'DELETE' })
      expect(readFileSync(join(top, 'secret'), 'utf8')).toBe('top secret')
      expect(readdirSync(top).sort()).toEqual(['root', 'secret'])
    } finally {
      await gateway.close()
    }
  })
})

describe('S4: names and dates of events', () => {
  test('whatever an event is called, its file lies where events do', async () => {
    const names = [
      '..',
      '.',
      '...',
      '%2e%2e',
      '_tmp',
      '_quarantine',
      '.hidden',
      '-rf',
      '\uff0e\uff0e',
      'a b',
      '\u202etxt',
      'é',
      // Kept as U+FFFD.
      '\ud800',
    ]
    const refused = ['../x', 'a/b', '/x', 'a\\b', '..\\x', 'a\0', 'a\nb', 'a\u007fb', '', 'x'.repeat(256)]
    const dates = ['2009-01-02T03:04:05Z', '9999-12-31T23:59:59Z', '1970-01-01T00:00:00Z']
    const odd = ['../../x', '10000-01-01T00:00:00Z', '-1', '2009-01-02/../../..', '253402300800000', {}, [1]]
    const fileSystem = createMemoryFileSystem()
    const server = await createTestServer({ fileSystem })
    try {
      const event = (eventName: string, eventDate: unknown): string =>
        JSON.stringify({ eventName, payload: { eventDate } })
      for (const name of names) expect((await postJson(server, event(name, dates[0]))).status, name).toBe(202)
      for (const date of dates) expect((await postJson(server, event('dated', date))).status, date).toBe(202)
      for (const name of refused) {
        expect(await (await postJson(server, event(name, 0))).json(), JSON.stringify(name)).toMatchObject({
          accepted: 0,
          rejected: 1,
        })
        const got = await server.server(`/1?v=${encodeURIComponent(name)}`)
        expect(got.status, JSON.stringify(name)).toBe(400)
      }
      for (const date of odd) {
        expect(await (await postJson(server, event('odd', date))).json(), JSON.stringify(date)).toMatchObject({
          accepted: 0,
          rejected: 1,
        })
      }
      await server.rpc.exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles')
      const written: string[] = []
      const walk = async (path: string): Promise<void> => {
        for (const status of await listAll(fileSystem, path)) {
          if (status.isDirectory) await walk(status.path)
          else written.push(status.path)
        }
      }
      await walk('/')
      expect(written.length).toBeGreaterThanOrEqual(names.length + dates.length)
      const place =
        /^\/events\/(?:_refused\/_unknown|(?:_refused\/)?(?:[A-Za-z0-9-]|%[0-9A-F]{2})(?:[A-Za-z0-9.\-_]|%[0-9A-F]{2})*)\/\d{4}\/\d\d\/\d\d\/\d\d\/[^/]+\.(?:smile|thrift)$/
      for (const path of written) expect(path).toMatch(place)
    } finally {
      await server.close()
    }
  })
})
