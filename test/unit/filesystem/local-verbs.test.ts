import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAccounts } from '../../../src/filesystem/local/accounts.ts'
import { createOwnOperations } from '../../../src/filesystem/local/truncate.ts'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import { chunksOf, expectCode, readText } from '../../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../../suites/flat-filesystem.ts'

let top: string
let root: string
let fs: FileSystem
beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), 'sluice-verbs-'))
})
afterAll(() => rm(top, { recursive: true, force: true }))
beforeEach(async () => {
  root = await mkdtemp(join(top, 'root-'))
  fs = flat(await createLocalFileSystem({ root }))
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

  test('a named pipe has bits and times, and blocks no call', async () => {
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

const isRoot = process.getuid?.() === 0
const { username, uid, gid } = userInfo()
const ownGroup = createAccounts().nameOf('group', gid)

describe('local: setOwner', () => {
  const ids = async (path: string) => {
    const stats = await stat(join(root, path))
    return [stats.uid, stats.gid]
  }

  test('takes names and numbers of this machine, and the status has the names', async () => {
    await fs.create('/f', chunksOf('x'))
    for (const change of [{ owner: username, group: ownGroup }, { owner: String(uid) }, { group: String(gid) }, {}])
      await fs.setOwner('/f', change)
    expect(await ids('f')).toEqual([uid, gid])
    expect(await fs.getFileStatus('/f')).toMatchObject({ owner: username, group: ownGroup })
  })

  test.runIf(isRoot)('changes the owner, the group or both, of what a link inside leads to, too', async () => {
    await fs.create('/f', chunksOf('x'))
    await symlink('f', join(root, 'link'))
    await fs.setOwner('/f', { owner: '65533', group: '65532' })
    expect(await ids('f')).toEqual([65_533, 65_532])
    await fs.setOwner('/link', { group: '65531' })
    expect(await ids('f')).toEqual([65_533, 65_531])
    await fs.setOwner('/f', { owner: '65530' })
    expect(await ids('f')).toEqual([65_530, 65_531])
    expect(await fs.getFileStatus('/f')).toMatchObject({ owner: '65530', group: '65531' })
  })

  test('an unknown name is denied, names it, and changes nothing', async () => {
    await fs.create('/f', chunksOf('x'))
    for (const [kind, change] of [
      ['user', { owner: 'no-such-name', group: ownGroup }],
      ['group', { owner: username, group: 'no-such-name' }],
    ] as const) {
      await expectCode(fs.setOwner('/f', change), 'denied')
      await expect(fs.setOwner('/f', change)).rejects.toThrow(`this machine has no ${kind} "no-such-name"`)
    }
    expect(await ids('f')).toEqual([uid, gid])
  })
})

test('local: names of users and groups are those of the files, the first of a number, and numbers where there is no name', async () => {
  const [users, groups] = [join(root, 'passwd'), join(root, 'group')]
  await writeFile(users, 'ann:x:7001:7001::/:/bin/sh\nalias:x:7001:1::/:/bin/sh\n# no:x:7002:1\nbroken\n')
  await writeFile(groups, 'staff:x:7010:ann\n')
  const accounts = createAccounts({ user: users, group: groups })
  const names = [accounts.nameOf('user', 7001), accounts.nameOf('group', 7010), accounts.nameOf('user', 7002)]
  expect(names).toEqual(['ann', 'staff', '7002'])
  const numbers = ['ann', 'alias', 'staff', '7003', '', '-1', '99999999999'].map(name =>
    accounts.numberOf('user', name),
  )
  expect(numbers).toEqual([7001, 7001, undefined, 7003, undefined, undefined, undefined])
  await writeFile(groups, 'staff:x:7010:ann\nlate:x:7011:\n')
  expect([accounts.numberOf('group', 'late'), accounts.nameOf('group', 7011)]).toEqual([7011, 'late'])
  const none = createAccounts({ user: join(root, 'none'), group: join(root, 'none') })
  expect([none.nameOf('group', 7010), none.numberOf('user', username)]).toEqual(['7010', uid])
})

test('local: setReplication says yes for files, whose one copy stays', async () => {
  await fs.create('/d/f', chunksOf('x'))
  expect([await fs.setReplication('/d/f', 3), await fs.setReplication('/d', 3)]).toEqual([true, false])
  expect((await fs.getFileStatus('/d/f')).replication).toBe(1)
})

describe('local: TRUNCATE', () => {
  const truncateTo = (path: string, ...lengths: readonly string[]) => {
    const params = lengths.map(length => ['newlength', length] as const)
    return fs.webHdfs?.({ method: 'POST', op: 'TRUNCATE', path, params }) ?? Promise.reject(new Error('no webHdfs'))
  }

  test('cuts a file to its first bytes, in place', async () => {
    await fs.create('/f', chunksOf('hello'), { permission: 0o640 })
    const { ino } = await stat(join(root, 'f'))
    for (const [length, left] of [
      ['5', 'hello'],
      ['2', 'he'],
      ['0', ''],
    ] as const) {
      expect(await truncateTo('/f', length)).toEqual({ boolean: true })
      expect(await readText(fs, '/f')).toBe(left)
    }
    expect(await stat(join(root, 'f'))).toMatchObject({ ino, size: 0 })
    expect((await fs.getFileStatus('/f')).permission).toBe(0o640)
  })

  test('what cannot be is refused, and changes nothing', async () => {
    await fs.create('/d/f', chunksOf('hello'))
    await writeFile(join(top, 'outside'), 'outside')
    await symlink(join(top, 'outside'), join(root, 'leak'))
    await once(spawn('mkfifo', [join(root, 'pipe')]), 'close')
    for (const length of ['6', '', '-1', '1.5', 'x']) {
      await expect(truncateTo('/d/f', length)).rejects.toMatchObject({ code: 'bad-parameter' })
    }
    await expect(truncateTo('/d/f')).rejects.toMatchObject({ code: 'bad-parameter' })
    await expect(truncateTo('/d/f', '6')).rejects.toThrow('Current size: 5, truncate size: 6.')
    for (const [path, code] of [
      ['/d', 'is-directory'],
      ['/none', 'not-found'],
      ['/d/f/below', 'not-found'],
      ['/leak', 'bad-path'],
      ['/pipe', 'denied'],
    ] as const)
      await expectCode(truncateTo(path, '0'), code)
    expect([await readText(fs, '/d/f'), (await stat(join(top, 'outside'))).size]).toEqual(['hello', 7])
  })

  test('and appends at the same time each take effect whole', async () => {
    await fs.create('/f', chunksOf('hello'))
    await Promise.all([fs.append('/f', chunksOf('!')), truncateTo('/f', '0'), fs.append('/f', chunksOf('!'))])
    expect(['', '!', '!!']).toContain(await readText(fs, '/f'))
  })

  test('waits for its turn, as appends to the same file do', async () => {
    await fs.create('/f', chunksOf('hello'))
    const keys: string[] = []
    const truncate = createOwnOperations(await realpath(root), (key, work) => {
      keys.push(key)
      return work()
    })
    await truncate({ method: 'POST', op: 'TRUNCATE', path: '/f', params: [['NewLength', '1']] })
    expect([keys, await readText(fs, '/f')]).toEqual([[join(await realpath(root), 'f')], 'h'])
  })

  test('every other operation is of a cluster', async () => {
    await fs.create('/f', chunksOf('x'))
    const call = fs.webHdfs?.({ method: 'POST', op: 'CONCAT', path: '/f', params: [['newlength', '0']] })
    await expect(call).rejects.toMatchObject({ code: 'unsupported', message: "LocalFileSystem doesn't support CONCAT" })
    expect(await readText(fs, '/f')).toBe('x')
  })
})
