import { crc32 } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { createMountTable } from '../../../src/filesystem/mounts.ts'
import { commitFile } from '../../../src/spool/commit/commit.ts'
import type { FileRecord } from '../../../src/spool/files/bucket-file.ts'
import { chunksOf, listNames, readText } from '../../suites/filesystem.ts'
import { at, createTestGateway, type TestGateway } from '../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { createObjects } from '../../suites/object-filesystem.ts'
import { createAskWebHdfs, remoteOf } from '../../suites/webhdfs.ts'

const text = '0123456789'
const write = async (fileSystem: FileSystem, path: string, content: string): Promise<void> =>
  void (await fileSystem.publish(path, chunksOf(content)))

describe('a commit to a file system that renames nothing', () => {
  const target = '/o/events/f.jsonl'
  const file: FileRecord['file'] = {
    name: 'f.jsonl',
    directory: '/o/events',
    segment: 1,
    format: 'jsonl',
    codec: 'none',
    kind: 'smile',
    length: text.length,
    crc: crc32(text),
    events: 1,
    oldest: 0,
  }
  const moving = { at: 'moving', temporary: '/o/events/_tmp/id/f.jsonl.1' } as const

  test.for<[string, FileRecord['state'], string | undefined, string[]]>([
    ['new', { at: 'sealed' }, undefined, ['moving', 'committed', '→ committed']],
    ['in its place, as the ledger does not know', moving, text, ['committed', '→ committed']],
    ['not in its place', moving, undefined, ['requeued', 'moving', 'committed', '→ committed']],
    ['in the way of another one', { at: 'sealed' }, 'abcdefghij', ['moving', '→ NameTaken']],
    ['in the way of another one, after a crash', moving, 'abcdefghij', ['→ NameTaken']],
  ])('%s', async ([, state, there, wanted]) => {
    const objects = createObjects()
    if (there !== undefined) await write(objects, '/events/f.jsonl', there)
    const fileSystem = createMountTable(createMemoryFileSystem(), [{ path: '/o', fileSystem: objects }])
    const entries: string[] = []
    const outcome = await commitFile(
      {
        disk: { stream: () => chunksOf(text) },
        ledger: { append: async (...added) => void entries.push(...added.map(({ type }) => type)) },
        fileSystem,
        temporaryDirectory: '/o/events/_tmp/id',
        uploading: new Set(),
        doubtful: new Set(),
        now: () => 1,
        signal: new AbortController().signal,
      },
      { file, state },
    ).catch((error: unknown) => (error instanceof Error ? error.constructor.name : error))
    expect([...entries, `→ ${String(outcome)}`]).toEqual(wanted)
    expect([await readText(fileSystem, target), await listNames(fileSystem, '/o/events')]).toEqual([
      there ?? text,
      ['f.jsonl'],
    ])
  })
})

describe('the gateway over one', () => {
  let gateway: TestGateway | undefined
  afterEach(() => gateway?.close())

  test('takes, lists, reads and deletes files', async () => {
    const fileSystem = createObjects()
    gateway = await createTestGateway({ fileSystem })
    const { call } = gateway
    const post = async (content: string, more = ''): Promise<number> =>
      (await call(at('', '/d/f', more), { method: 'POST', body: content })).status
    expect([await post('one'), await post('two'), await post('three', '&overwrite=true')]).toEqual([201, 409, 201])
    expect(await (await call(at('/binary', '/d/f'))).text()).toBe('three')
    expect(await (await call(at('/json', '/'))).json()).toMatchObject({ entries: [{ path: '/d' }] })
    expect((await call(at('', '/d/f'), { method: 'DELETE' })).status).toBe(200)
    expect(await listNames(fileSystem, '/')).toEqual([])
  })

  test('answers WebHDFS as a local one where nothing else is known, and says what it does not support', async () => {
    const fileSystem = createObjects()
    await write(fileSystem, '/d/f', text)
    gateway = await createTestGateway({ fileSystem })
    const ask = createAskWebHdfs(gateway)
    expect((await ask('PUT', '/d/g', 'CREATE&data=true', { body: text })).status).toBe(201)
    expect((await ask('GET', '/d/f', 'GETFILEBLOCKLOCATIONS')).json).toMatchObject({
      BlockLocations: { BlockLocation: [{ length: 10, hosts: ['localhost'] }] },
    })
    expect((await ask('GET', '/', 'GETSERVERDEFAULTS')).status).toBe(200)
    for (const [path, query, verb] of [
      ['/x', 'MKDIRS', 'mkdirs'],
      ['/d/f', 'RENAME&destination=/d/h', 'rename'],
      ['/d/f', 'SETPERMISSION&permission=600', 'setPermission'],
    ] as const) {
      expect(remoteOf(await ask('PUT', path, query))).toEqual({
        exception: 'UnsupportedOperationException',
        message: `objects://bucket doesn't support ${verb}`,
      })
    }
  })
})
