import { constants } from 'node:fs'
import { mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInside } from '../../../src/filesystem/local/open-inside.ts'
import { resolveInside } from '../../../src/filesystem/local/resolve.ts'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import { openFile } from '../../../src/filesystem/open-file.ts'
import { chunksOf, describeFileSystem, expectCode, listNames, readText } from '../../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../../suites/flat-filesystem.ts'

let top: string
let root: string
let fs: FileSystem
beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), 'sluice-local-'))
  root = join(top, 'root')
  fs = flat(await createLocalFileSystem({ root }))
})
afterAll(() => rm(top, { recursive: true, force: true }))

const unsupported = ['getFileChecksum'] as const
describeFileSystem('local', { fs: () => fs, base: '/suite', manyFiles: 2_000, unsupported, isOfMachine: true })

describe('S4: local: symbolic links', () => {
  beforeAll(async () => {
    await writeFile(join(top, 'secret'), 'secret')
    await fs.create('/links/real/file', chunksOf('inside'))
    await symlink(join(root, 'links/real'), join(root, 'links/within'))
    await symlink(top, join(root, 'links/out'))
    await symlink('../../..', join(root, 'links/up'))
    await symlink(join(top, 'secret'), join(root, 'links/leak'))
    await symlink(join(top, 'not-yet'), join(root, 'links/dangling'))
    await symlink('loop', join(root, 'links/loop'))
  })

  test('one that stays inside is followed', async () => {
    expect(await readText(fs, '/links/within/file')).toBe('inside')
    expect((await fs.getFileStatus('/links/within')).isDirectory).toBe(true)
  })

  test.for(['/links/leak', '/links/out/secret', '/links/out', '/links/up', '/links/up/x', '/links/loop'])(
    'no call follows %s',
    async path => {
      await expectCode(fs.open(path), 'bad-path')
      await expectCode(openFile(fs, path), 'bad-path')
      await expectCode(fs.getFileStatus(path), 'bad-path')
      await expectCode(listNames(fs, path), 'bad-path')
      await expectCode(fs.create(path, chunksOf('x'), { overwrite: true }), 'bad-path')
      await expectCode(fs.mkdirs(`${path}/new`), 'bad-path')
      await expectCode(fs.rename('/links/real/file', `${path}/stolen`), 'bad-path')
    },
  )

  test('a directory that was read from and becomes a link is left at once', async () => {
    await fs.create('/turned/file', chunksOf('inside'))
    expect(await readText(fs, '/turned/file')).toBe('inside')
    await rm(join(root, 'turned'), { recursive: true })
    await writeFile(join(top, 'file'), 'outside')
    await symlink(top, join(root, 'turned'))
    await expectCode(fs.open('/turned/file'), 'bad-path')
    await rm(join(root, 'turned'))
    await rm(join(top, 'file'))
    await fs.create('/links/other/file', chunksOf('other'))
    await symlink(join(root, 'links/other'), join(root, 'turned'))
    expect(await readText(fs, '/turned/file')).toBe('other')
    await fs.delete('/links/other', { recursive: true })
    await rm(join(root, 'turned'))
  })

  test('one that leads nowhere is not written through', async () => {
    await expectCode(fs.create('/links/dangling', chunksOf('x')), 'exists')
    await expectCode(fs.create('/links/dangling/x', chunksOf('x')), 'not-directory')
    expect(await readdir(top)).toEqual(['root', 'secret'])
  })

  test('a listing leaves out what cannot be reached', async () => {
    expect(await listNames(fs, '/links')).toEqual(['real', 'within'])
  })

  test('and has no part for it', async () => {
    await fs.create('/lost/x', chunksOf(''))
    for (let link = 0; link < 300; link++) await symlink('nowhere', join(root, `lost/${link}`))
    const parts = await Array.fromAsync(fs.listStatus('/lost'))
    expect(parts.map(part => part.map(({ path }) => path))).toEqual([['/lost/x']])
  })

  test.each([
    ['the file', 'swapped/file', 'ELOOP'],
    ['a directory on the way', 'swapped', 'bad-path'],
  ])('%s that becomes a link after the look at its path is not opened', async (_, swapped, code) => {
    await fs.create('/swapped/file', chunksOf('inside'))
    const target = await resolveInside(root, '/swapped/file')
    await rm(join(root, swapped), { recursive: true })
    await writeFile(join(top, 'file'), 'outside')
    await symlink(swapped === 'swapped' ? top : join(top, 'file'), join(root, swapped))
    const opened = openInside(target, constants.O_RDONLY, { root, path: '/swapped/file' })
    await expect(opened).rejects.toThrow(expect.objectContaining({ code }))
    expect(await readFile(join(top, 'file'), 'utf8')).toBe('outside')
    await rm(join(root, 'swapped'), { recursive: true })
    await rm(join(top, 'file'))
  })

  test('a directory is deleted without what its links lead to', async () => {
    await fs.create('/holder/file', chunksOf('x'))
    await symlink(top, join(root, 'holder/out'))
    expect(await fs.delete('/holder', { recursive: true })).toBe(true)
    expect(await readFile(join(top, 'secret'), 'utf8')).toBe('secret')
  })

  test('rename and delete take the link itself', async () => {
    await fs.rename('/links/leak', '/links/moved')
    expect(await readlink(join(root, 'links/moved'))).toBe(join(top, 'secret'))
    expect(await fs.delete('/links/moved')).toBe(true)
    expect(await fs.delete('/links/out', { recursive: true })).toBe(true)
    expect(await readdir(top)).toEqual(['root', 'secret'])
  })
})

describe('local: openFile', () => {
  test('status and bytes are of one file, also where another one takes its place', async () => {
    await fs.create('/one/file', chunksOf('the first'))
    const file = await openFile(fs, '/one/file')
    await fs.create('/one/file', chunksOf('another one'), { overwrite: true })
    expect(await new Response(await file.read()).text()).toBe('the first')
    expect(file.status.length).toBe('the first'.length)
  })

  test.skipIf(process.platform !== 'linux')('no file stays open, whatever becomes of it', async () => {
    await fs.create('/left/file', chunksOf('x'.repeat(1_000_000)))
    const isOpen = async (): Promise<boolean> => {
      const open = await Promise.all(
        (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(String)),
      )
      return open.some(path => path.startsWith(join(root, 'left')))
    }
    // Kept, so that no collection of garbage closes what was forgotten.
    const kept = [await openFile(fs, '/left/file'), await openFile(fs, '/left/file'), await openFile(fs, '/left')]
    expect(await isOpen()).toBe(true)
    const [closed, read, directory] = kept
    closed?.close()
    await (await read?.read())?.cancel()
    read?.close()
    await directory?.read().catch(() => {})
    directory?.close()
    await expect.poll(isOpen).toBe(false)
  })
})

describe('local: create', () => {
  test.for([false, true])('a failure leaves nothing behind, overwrite %s', async overwrite => {
    const directory = `/failed-${overwrite}`
    if (overwrite) await fs.create(`${directory}/file`, chunksOf('old'))
    const source = async function* () {
      yield new Uint8Array(1000)
      throw new Error('broken')
    }
    await expect(fs.create(`${directory}/file`, source(), { overwrite })).rejects.toThrow('broken')
    expect(await readdir(join(root, directory))).toEqual(overwrite ? ['file'] : [])
    if (overwrite) expect(await readText(fs, `${directory}/file`)).toBe('old')
  })

  test('the root is created where it is missing, and a file in its place is refused', async () => {
    expect(flat(await createLocalFileSystem({ root: join(top, 'root/a/b') })).url).toMatch(/^file:\/\/\/.*\/a\/b$/)
    await expectCode(createLocalFileSystem({ root: join(top, 'secret') }), 'not-directory')
  })

  test('a probe notices that the root is gone', async () => {
    const gone = flat(await createLocalFileSystem({ root: join(top, 'root/gone') }))
    await rm(join(top, 'root/gone'), { recursive: true })
    await expectCode(gone.probe(), 'unavailable')
  })
})

test.skipIf(process.platform !== 'linux')(
  'local: a read aborted while it is being opened leaves no file open',
  async () => {
    await fs.create('/aborted/file', chunksOf('x'.repeat(1_000)))
    const path = join(root, 'aborted/file')
    const isOpen = async (fd: string): Promise<boolean> =>
      (await readlink(`/proc/self/fd/${fd}`).catch(() => '')) === path
    // Kept, so that no collection of garbage closes what was forgotten.
    const kept: unknown[] = []
    for (let at = 0; at < 200; at++) {
      const aborter = new AbortController()
      // The caller has gone: the stream is neither read nor cancelled.
      const opening = fs.open('/aborted/file', { signal: aborter.signal }).catch(() => {})
      for (let turn = 0; turn < at % 20; turn++) await new Promise(resolve => setImmediate(resolve))
      aborter.abort()
      kept.push(await opening)
    }
    const open = async (): Promise<number> =>
      (await Promise.all((await readdir('/proc/self/fd')).map(isOpen))).filter(Boolean).length
    await expect.poll(open).toBe(0)
    expect(kept).toHaveLength(200)
  },
)
