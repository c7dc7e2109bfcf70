import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import { chunksOf, expectCode } from '../../suites/filesystem.ts'

let top: string
let root: string
let fs: FileSystem
beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), 'sluice-verbs-'))
})
afterAll(() => rm(top, { recursive: true, force: true }))
beforeEach(async () => {
  root = await mkdtemp(join(top, 'root-'))
  fs = await createLocalFileSystem({ root })
})

describe('local: getContentSummary', () => {
  test('counts the root, hidden files and what is left of an upload', async () => {
    await fs.create('/a/.sluice-0123456789abcdef01234567.tmp', chunksOf('12'))
    await fs.create('/.hidden/b', chunksOf('345'))
    expect(await fs.getContentSummary('/')).toMatchObject({ directoryCount: 3, fileCount: 2, length: 5 })
  })

  test('links count as what they lead to inside the root, and are not walked', async () => {
    await writeFile(join(top, 'secret'), 'secret')
    await mkdir(join(top, 'many/deep'), { recursive: true })
    await fs.create('/dir/file', chunksOf('12345'))
    await symlink('dir/file', join(root, 'to-file'))
    await symlink('dir', join(root, 'to-directory'))
    await symlink('..', join(root, 'dir/up'))
    await symlink(join(top, 'secret'), join(root, 'leak'))
    await symlink(join(top, 'many'), join(root, 'out'))
    await symlink('nowhere', join(root, 'dangling'))
    await symlink('loop', join(root, 'loop'))
    expect(await fs.getContentSummary('/')).toMatchObject({ directoryCount: 4, fileCount: 2, length: 10 })
    expect(await fs.getContentSummary('/to-directory')).toMatchObject({ directoryCount: 2, fileCount: 1, length: 5 })
    expect(await fs.getContentSummary('/to-file')).toMatchObject({ directoryCount: 0, fileCount: 1, length: 5 })
    for (const path of ['/leak', '/out', '/out/deep']) await expectCode(fs.getContentSummary(path), 'bad-path')
  })

  test('what is neither a file nor a directory counts as a file', async () => {
    await once(spawn('mkfifo', [join(root, 'pipe')]), 'close')
    expect(await fs.getContentSummary('/')).toMatchObject({ directoryCount: 1, fileCount: 1, length: 0 })
    expect(await fs.getContentSummary('/pipe')).toMatchObject({ directoryCount: 0, fileCount: 1, length: 0 })
  })

  test('goes through many files and deep directories', async () => {
    const deep = Array.from({ length: 200 }, (_, index) => `d${index}`).join('/')
    await fs.create(`/${deep}/file`, chunksOf('1'))
    for (let at = 0; at < 300; at++) await writeFile(join(root, `f${at}`), 'x')
    await truncate(join(root, 'f0'), 5_000_000_000)
    expect(await fs.getContentSummary('/')).toMatchObject({
      directoryCount: 201,
      fileCount: 301,
      length: 5_000_000_300,
    })
    // Each directory was open, and is closed.
    if (process.platform === 'linux') expect((await readdir('/proc/self/fd')).length).toBeLessThan(150)
  })

  test('ends with an abort in the middle', async () => {
    for (let at = 0; at < 50; at++) await fs.mkdirs(`/d${at}`)
    const controller = new AbortController()
    const call = fs.getContentSummary('/', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expectCode(call, 'unavailable')
  })

  test('what vanishes meanwhile is left out', async () => {
    for (let at = 0; at < 200; at++) await fs.create(`/d${at}/file`, chunksOf('x'))
    const [summary] = await Promise.all([
      fs.getContentSummary('/'),
      ...Array.from({ length: 200 }, (_, at) => rm(join(root, `d${at}`), { recursive: true })),
    ])
    expect(summary.directoryCount).toBeLessThanOrEqual(201)
  })
})

describe('local: attributes', () => {
  test('the root has them, too', async () => {
    await fs.setPermission('/', 0o750)
    await fs.setTimes('/', { modificationTime: 1_000 })
    expect(await fs.getFileStatus('/')).toMatchObject({ permission: 0o750, modificationTime: 1_000 })
    await fs.access('/', 7)
    expect((await fs.getStatus('/')).capacity).toBeGreaterThan(0)
  })

  test('are not those of what lies outside', async () => {
    await writeFile(join(top, 'other'), 'secret', { mode: 0o600 })
    const before = await stat(join(top, 'other'))
    await symlink(join(top, 'other'), join(root, 'leak'))
    await expectCode(fs.setPermission('/leak', 0o777), 'bad-path')
    await expectCode(fs.setTimes('/leak', { accessTime: 1 }), 'bad-path')
    await expectCode(fs.access('/leak', 0), 'bad-path')
    await expectCode(fs.getStatus('/leak'), 'bad-path')
    await expectCode(fs.getFileBlockLocations('/leak', 0, 1), 'bad-path')
    await expectCode(fs.setOwner('/leak', { owner: 'x' }), 'bad-path')
    const after = await stat(join(top, 'other'))
    expect([after.mode, after.atimeMs, after.mtimeMs]).toEqual([before.mode, before.atimeMs, before.mtimeMs])
  })

  test('times keep every ms', async () => {
    await fs.create('/file', chunksOf('x'))
    for (let ms = 1_700_000_000_000; ms < 1_700_000_001_000; ms += 37) {
      await fs.setTimes('/file', { modificationTime: ms, accessTime: ms + 1 })
      expect(await fs.getFileStatus('/file')).toMatchObject({ modificationTime: ms, accessTime: ms + 1 })
      await fs.setTimes('/file', { accessTime: ms + 2 })
      expect(await fs.getFileStatus('/file')).toMatchObject({ modificationTime: ms, accessTime: ms + 2 })
    }
    for (const ms of [0, 1, 999, 1_001, 4_000_000_000_123]) {
      await fs.setTimes('/file', { modificationTime: ms })
      expect((await fs.getFileStatus('/file')).modificationTime).toBe(ms)
    }
  })

  test('a named pipe has bits and times, and holds nobody up', async () => {
    await once(spawn('mkfifo', [join(root, 'pipe')]), 'close')
    await fs.setPermission('/pipe', 0o640)
    await fs.setTimes('/pipe', { modificationTime: 5_000 })
    expect(await fs.getFileStatus('/pipe')).toMatchObject({ permission: 0o640, modificationTime: 5_000 })
  })

  test('a socket, too, which cannot be opened', async () => {
    const { createServer } = await import('node:net')
    const server = createServer().listen(join(root, 'socket'))
    await once(server, 'listening')
    await fs.setPermission('/socket', 0o600)
    await fs.setTimes('/socket', { modificationTime: 5_000 })
    expect(await fs.getFileStatus('/socket')).toMatchObject({ permission: 0o600, modificationTime: 5_000 })
    server.close()
  })
})
