import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import {
  appendFile,
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import { chunksOf, expectCode } from '../../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../../suites/flat-filesystem.ts'

let top: string
let root: string
let fs: FileSystem
beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), 'sluice-append-'))
})
afterAll(() => rm(top, { recursive: true, force: true }))
beforeEach(async () => {
  root = await mkdtemp(join(top, 'root-'))
  fs = flat(await createLocalFileSystem({ root }))
  await writeFile(join(root, 'file'), 'old')
})

const text = (name = 'file'): Promise<string> => readFile(join(root, name), 'utf8')
const names = async (): Promise<string[]> => (await readdir(root)).sort()

/** Bytes with something that happens before each of them, and before the end. */
const between = async function* (
  texts: readonly string[],
  ...steps: ((() => unknown) | undefined)[]
): AsyncGenerator<Uint8Array> {
  for (const one of texts) {
    await steps.shift()?.()
    yield Buffer.from(one)
  }
  await steps.shift()?.()
}

describe('local: append', () => {
  test('no part of it is visible, however slowly it arrives', async () => {
    const seen: string[] = []
    const look = async () => seen.push(await text())
    await fs.append('/file', between(['a', 'b', 'c'], look, look, look, look))
    expect(seen).toEqual(['old', 'old', 'old', 'old'])
    expect(await text()).toBe('oldabc')
    expect(await names()).toEqual(['file'])
  })

  test('a reader that has it open reads the old file to its end', async () => {
    const stream = await fs.open('/file')
    await fs.append('/file', chunksOf('new'))
    expect(await new Response(stream).text()).toBe('old')
    expect(await text()).toBe('oldnew')
  })

  test.for([0o600, 0o644, 0o755, 0o1777])('keeps permission bits %o', async mode => {
    await chmod(join(root, 'file'), mode)
    await fs.append('/file', chunksOf('new'))
    expect((await stat(join(root, 'file'))).mode & 0o7777).toBe(mode)
  })

  test('takes from a file, as any write does, the bits that run it as somebody else', async () => {
    const set = () => chmod(join(root, 'file'), 0o6755)
    await set()
    await fs.append('/file', chunksOf('new'))
    expect((await stat(join(root, 'file'))).mode & 0o7777).toBe(0o755)
    await fs.append('/file', between(['new'], undefined, set))
    expect((await stat(join(root, 'file'))).mode & 0o7777).toBe(0o755)
  })

  test.skipIf(process.getuid?.() !== 0)('keeps the owner where the process may give files away', async () => {
    await chown(join(root, 'file'), 65_534, 65_533)
    await fs.append('/file', chunksOf('new'))
    const { uid, gid } = await stat(join(root, 'file'))
    expect([uid, gid]).toEqual([65_534, 65_533])
  })

  test('of nothing leaves the file as it is', async () => {
    const { ino, ctimeMs } = await stat(join(root, 'file'))
    await fs.append('/file', chunksOf('', ''))
    expect(await stat(join(root, 'file'))).toMatchObject({ ino, ctimeMs })
  })

  test('an abort between the last byte and the end takes it back', async () => {
    const controller = new AbortController()
    const soon = (): void => void setImmediate(() => controller.abort())
    const call = fs.append('/file', between(['new'], undefined, soon), { signal: controller.signal })
    await expectCode(call, 'unavailable')
    expect(await text()).toBe('old')
    expect(await names()).toEqual(['file'])
  })

  test('a file that somebody else changes all the time is given up', async () => {
    // Between any two steps of the append; ends in any case, for without a limit the append would outlast it.
    let left = 5_000
    const replaceOn = (): void => {
      if (left-- <= 0) return
      writeFileSync(join(root, 'other'), '.'.repeat((left % 50) + 1))
      renameSync(join(root, 'other'), join(root, 'file'))
      setImmediate(replaceOn)
    }
    await expectCode(fs.append('/file', between(['new'], undefined, replaceOn)), 'unavailable')
    left = 0
    expect(await text()).toMatch(/^\.+$/)
    expect(await names()).toEqual(['file'])
  })

  test('a killed process leaves a temporary file at most, and never a part in the target', async () => {
    const script = join(import.meta.dirname, '../../suites/append-child.ts')
    for (const chunks of ['0', '1', '3']) {
      const child = spawn(process.execPath, [script, root, '/file', chunks], { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      const ended = once(child, 'close')
      child.kill('SIGKILL')
      await ended
      expect(await text()).toBe('old')
      const left = (await names()).filter(name => name !== 'file')
      expect(left).toHaveLength(chunks === '0' ? 0 : 1)
      for (const name of left) {
        expect(name).toMatch(/^\.sluice-[0-9a-f]{24}\.tmp$/)
        expect(await text(name)).toBe(`old${'x'.repeat(Number(chunks))}`)
        await unlink(join(root, name))
      }
      await fs.append('/file', chunksOf())
    }
    await fs.append('/file', chunksOf('new'))
    expect(await text()).toBe('oldnew')
  })

  test('is done behind what others did meanwhile', async () => {
    const change = async () => {
      await fs.append('/file', chunksOf(' and'))
      await appendFile(join(root, 'file'), ' more')
    }
    await fs.append('/file', between([' a', ' b'], undefined, change))
    expect(await text()).toBe('old and more a b')
    expect(await names()).toEqual(['file'])
  })

  const changes: Record<string, [() => Promise<unknown>, string]> = {
    'is another one': [() => fs.create('/file', chunksOf('other'), { overwrite: true }), 'othernew'],
    'is as long as before': [() => writeFile(join(root, 'file'), 'odd'), 'oddnew'],
    'is shorter': [() => writeFile(join(root, 'file'), 'o'), 'onew'],
    'is moved in': [() => rename(join(root, 'moved'), join(root, 'file')), 'movednew'],
    'has another name, too': [() => link(join(root, 'file'), join(root, 'again')), 'oldnew'],
  }
  test.for(Object.entries(changes))(
    'a file that %s meanwhile is the one that is added to',
    async ([, [change, want]]) => {
      await writeFile(join(root, 'moved'), 'moved')
      await fs.append('/file', between(['new'], undefined, change))
      expect(await text()).toBe(want)
      expect((await names()).filter(name => name.startsWith('.'))).toEqual([])
    },
  )

  test('bits that are set meanwhile stay set', async () => {
    await fs.append(
      '/file',
      between(['new'], undefined, () => fs.setPermission('/file', 0o640)),
    )
    expect((await fs.getFileStatus('/file')).permission).toBe(0o640)
    expect(await text()).toBe('oldnew')
  })

  test.for([
    ['is deleted', () => fs.delete('/file'), 'not-found'],
    [
      'becomes a directory',
      async () => {
        await fs.delete('/file')
        await fs.mkdirs('/file')
      },
      'is-directory',
    ],
    [
      'becomes a named pipe',
      async () => {
        await fs.delete('/file')
        await once(spawn('mkfifo', [join(root, 'file')]), 'close')
      },
      'denied',
    ],
  ] as const)('a file that %s meanwhile stays so', async ([, change, code]) => {
    const call = fs.append('/file', between(['new'], undefined, change))
    await expectCode(call, code)
    expect((await names()).filter(name => name !== 'file')).toEqual([])
  })

  test('links: one that stays inside is followed, and stays; no other one is', async () => {
    await writeFile(join(top, 'secret'), 'secret')
    await mkdir(join(root, 'dir'))
    await symlink('file', join(root, 'within'))
    await symlink(join(top, 'secret'), join(root, 'leak'))
    await symlink(top, join(root, 'out'))
    await fs.append('/within', chunksOf('new'))
    expect(await text()).toBe('oldnew')
    expect((await names()).filter(name => name.startsWith('.'))).toEqual([])
    for (const path of ['/leak', '/out/secret']) await expectCode(fs.append(path, chunksOf('x')), 'bad-path')
    expect(await readFile(join(top, 'secret'), 'utf8')).toBe('secret')
  })

  test('a directory that becomes a link out of the root meanwhile is not written to', async () => {
    const outside = await mkdtemp(join(top, 'outside-'))
    await writeFile(join(outside, 'file'), 'outside')
    await fs.create('/dir/file', chunksOf('inside'))
    const swap = async () => {
      await rename(join(root, 'dir'), join(root, 'gone'))
      await symlink(outside, join(root, 'dir'))
    }
    await expectCode(fs.append('/dir/file', between(['new'], swap)), 'bad-path')
    expect(await readFile(join(outside, 'file'), 'utf8')).toBe('outside')
    expect(await readdir(outside)).toEqual(['file'])
  })

  test('a named pipe is not a file, and blocks no call', async () => {
    const made = spawn('mkfifo', [join(root, 'pipe')])
    await once(made, 'close')
    await expectCode(fs.append('/pipe', chunksOf('x')), 'denied')
  })

  test('many at a time are all there, and leave nothing behind', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `[${index}:${'x'.repeat(index * 100)}]`)
    await Promise.all(texts.map(one => fs.append('/file', chunksOf(one))))
    const found = await text()
    expect(found).toHaveLength(3 + texts.join('').length)
    for (const one of texts) expect(found).toContain(one)
    expect(await names()).toEqual(['file'])
  })

  test.skipIf(process.getuid?.() === 0)('a file that may not be written to is not added to', async () => {
    await chmod(join(root, 'file'), 0o444)
    await expectCode(fs.append('/file', chunksOf('x')), 'denied')
    await expectCode(fs.append('/file', chunksOf()), 'denied')
  })
})
