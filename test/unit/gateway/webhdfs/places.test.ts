import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type ByteSource, ByteStream, toByteSource } from '../../../../src/bytes/byte-stream.ts'
import type { FileStatus } from '../../../../src/filesystem/filesystem.ts'
import type { WebHdfsOperation } from '../../../../src/filesystem/hadoop-verbs.ts'
import type { Logger } from '../../../../src/log/log.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, fromVerbs } from '../../../suites/flat-filesystem.ts'
import { createTestGateway, type TestGateway, type TestGatewayOptions } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { createAskWebHdfs, remoteOf } from '../../../suites/webhdfs.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const setUp = async (options: TestGatewayOptions) => {
  gateway = await createTestGateway(options)
  return createAskWebHdfs(gateway)
}

describe('with a mount', () => {
  test('homes and trash of a caller are looked for on each of them', async () => {
    const root = mkdtempSync(join(tmpdir(), 'sluice-mounted-'))
    const clusters = JSON.stringify([{ path: '/m', url: `file://${root}` }])
    const ask = await setUp({ fileSystem: null, settings: [`clusters=${clusters}`, 'gateway.readers=0'] })
    expect((await ask('GET', '/m/x/y', 'GETTRASHROOT&user.name=ann')).json).toEqual({ Path: '/m/user/ann/.Trash' })
    expect((await ask('GET', '/mx', 'GETTRASHROOT&user.name=ann')).json).toEqual({ Path: '/user/ann/.Trash' })
    expect((await ask('GET', '/m', 'GETHOMEDIRECTORY&user.name=ann')).json).toEqual({ Path: '/user/ann' })
    for (const path of ['/user/ann/.Trash', '/m/user/ann/.Trash', '/m/user/bob/.Trash'])
      await ask('PUT', path, 'MKDIRS')
    // Neither has one.
    await ask('PUT', '/user/carl/.Trash', 'CREATE&data=true')
    await ask('PUT', '/user/file', 'CREATE&data=true')
    const rootsOf = async (query: string) => {
      const { json } = await ask('GET', '/', `GETTRASHROOTS&user.name=carl&${query}`)
      return (json as { Paths: readonly { path: string }[] }).Paths.map(({ path }) => path)
    }
    expect(await rootsOf('user.name=x')).toEqual([])
    expect(await rootsOf('allusers=true')).toEqual(['/user/ann/.Trash', '/m/user/ann/.Trash', '/m/user/bob/.Trash'])
    expect((await ask('GET', '/', 'GETTRASHROOTS&user.name=ann')).text.match(/"path":/g)).toHaveLength(2)
    const many = Array.from({ length: 40 }, (_, index) => `/user/u${String(index).padStart(2, '0')}/.Trash`)
    for (const path of many) await ask('PUT', path, 'MKDIRS')
    expect(await rootsOf('allusers=true')).toEqual([
      '/user/ann/.Trash',
      ...many,
      '/m/user/ann/.Trash',
      '/m/user/bob/.Trash',
    ])
    rmSync(root, { recursive: true })
  })
})

describe('what is passed on', () => {
  test('is what a cluster may know, and nothing of who calls', async () => {
    const seen: WebHdfsOperation[] = []
    const fileSystem = fromVerbs<FileSystem>({
      ...createMemoryFileSystem(),
      webHdfs: async ({ method, op, path, params }) => {
        seen.push({ method, op, path, params })
        return method === 'GET' ? { XAttrs: [] } : undefined
      },
    })
    const ask = await setUp({ fileSystem })
    const more =
      'user.name=ann&doas=bob&delegation=t&Delegation=t&OP=X&noredirect=true&data=true&unknown=1&xattr.Name=x'
    const got = await ask('GET', '/a b', `getxattrs&xattr.name=user.a&xattr.name=user.%C3%BC%26&encoding=text&${more}`)
    expect([got.status, got.json]).toEqual([200, { XAttrs: [] }])
    const put = await ask('PUT', '/a', `SETACL&ACLSpec=user:a:rwx?&${more}`)
    expect([put.status, put.text]).toEqual([200, ''])
    await ask('POST', '/a', 'TRUNCATE&newlength=7')
    await ask('DELETE', '/a', 'DELETESNAPSHOT&snapshotname=s')
    expect(seen).toEqual([
      {
        method: 'GET',
        op: 'GETXATTRS',
        path: '/a b',
        params: [
          ['xattr.name', 'user.a'],
          ['xattr.name', 'user.ü&'],
          ['encoding', 'text'],
          ['xattr.name', 'x'],
        ],
      },
      {
        method: 'PUT',
        op: 'SETACL',
        path: '/a',
        params: [
          ['aclspec', 'user:a:rwx?'],
          ['xattr.name', 'x'],
        ],
      },
      { method: 'POST', op: 'TRUNCATE', path: '/a', params: [['newlength', '7']] },
      { method: 'DELETE', op: 'DELETESNAPSHOT', path: '/a', params: [['snapshotname', 's']] },
    ])
  })
})

test('a status is written as it is, whatever is in it', async () => {
  const memory = createMemoryFileSystem()
  const change = (status: FileStatus): FileStatus => ({
    ...status,
    owner: 'a"\\\n',
    group: '\u2028"',
    accessTime: 17,
    attributes: ['HAS_ACL', 'HAS_EC', 'HAS_CRYPT', 'SNAPSHOT_ENABLED'],
  })
  const ask = await setUp({
    fileSystem: { ...memory, getFileStatus: async path => change(await memory.getFileStatus(path)) },
  })
  const wanted = {
    owner: 'a"\\\n',
    group: '\u2028"',
    accessTime: 17,
    aclBit: true,
    ecBit: true,
    encBit: true,
    snapshotEnabled: true,
  }
  expect((await ask('GET', '/', 'GETFILESTATUS')).json).toMatchObject({ FileStatus: wanted })
})

test('a page that is not the last says that there are more', async () => {
  const memory = createMemoryFileSystem()
  for (let index = 0; index < 2_500; index++) await memory.create(`/d/f${String(index).padStart(4, '0')}`, chunksOf(''))
  const ask = await setUp({ fileSystem: memory })
  const names: string[] = []
  const pages: number[] = []
  for (let after = ''; ; after = names.at(-1) ?? '') {
    const { json } = await ask('GET', '/d', `LISTSTATUS_BATCH&startAfter=${after}`)
    const { DirectoryListing: listing } = json as {
      DirectoryListing: {
        remainingEntries: number
        partialListing: { FileStatuses: { FileStatus: readonly { pathSuffix: string }[] } }
      }
    }
    const page = listing.partialListing.FileStatuses.FileStatus.map(({ pathSuffix }) => pathSuffix)
    names.push(...page)
    pages.push(page.length)
    if (listing.remainingEntries === 0) break
  }
  expect(pages.length).toBeGreaterThan(1)
  expect(names).toEqual(Array.from({ length: 2_500 }, (_, index) => `f${String(index).padStart(4, '0')}`))
})

test('a file that is opened is closed, whatever comes of it', async () => {
  const memory = createMemoryFileSystem()
  await memory.create('/f', chunksOf('x'))
  let opened = 0
  const open = new Set<ByteSource>()
  const ask = await setUp({
    fileSystem: {
      ...memory,
      open: async (path, options) => {
        const source = toByteSource(await memory.open(path, options))
        opened++
        const close = (): void => void open.delete(source)
        open.add(source)
        const read = async () => {
          const bytes = await source.read()
          if (bytes === undefined) close()
          return bytes
        }
        return new ByteStream({ read, cancel: close })
      },
    },
  })
  for (const query of ['OPEN', 'OPEN&noredirect=true', 'OPEN&offset=9']) await ask('GET', '/f', query)
  await ask('GET', '/', 'OPEN')
  expect([opened, open.size]).toEqual([2, 0])
})

test('what is written is counted in bytes, and told by its operation with both its paths', async () => {
  const lines: unknown[] = []
  const logger: Logger = {
    ...silentLogger,
    info: (fields, message) => void (message === 'gateway' && lines.push(fields)),
  }
  const ask = await setUp({ fileSystem: createMemoryFileSystem(), logger })
  // A caller that asks where to send bytes has written nothing, however the answer is given.
  for (const more of ['', '&noredirect=true']) {
    await ask('PUT', '/f', `CREATE${more}`)
    await ask('POST', '/', `APPEND${more}`)
  }
  expect(lines.splice(0)).toMatchObject([{ operation: 'APPEND', outcome: 'is-directory' }, { operation: 'APPEND' }])
  await ask('PUT', '/f', 'CREATE', { body: '12345' })
  await ask('POST', '/f', 'APPEND', { body: '678' })
  await ask('PUT', '/f', 'RENAME&destination=/g&user.name=ann')
  await ask('DELETE', '/none', 'DELETE')
  const refused = await ask('PUT', '/g', 'CREATE', { body: 'x' })
  expect(remoteOf(refused).exception).toBe('FileAlreadyExistsException')
  expect(lines).toMatchObject([
    { who: 'anonymous', operation: 'CREATE', path: '/f', outcome: 'ok', status: 201 },
    { operation: 'APPEND', path: '/f', outcome: 'ok', status: 200 },
    { who: 'ann', operation: 'RENAME', path: '/f', destination: '/g', outcome: 'ok', status: 200 },
    { operation: 'DELETE', path: '/none', outcome: 'ok', status: 200 },
    { operation: 'CREATE', path: '/g', outcome: 'exists', status: 403 },
  ])
  const metrics = await (await gateway?.app.adminFetch(new Request('http://localhost/metrics')))?.text()
  expect(metrics).toMatch(/^gateway_bytes_total\{dir="in"\} 8$/m)
  for (const code of [201, 403]) {
    expect(metrics).toContain(`gateway_requests_total{op="CREATE",cluster="/",code="${code}"} 1\n`)
  }
})
