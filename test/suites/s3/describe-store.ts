import { describe, expect, test } from 'vitest'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { chunksOf, expectCode, listNames, readText } from '../file-text.ts'
import { type FlatFileSystem, flat } from '../flat-filesystem.ts'
import { listAll } from '../list-all.ts'

export type StoreSubject = {
  /** A file system below a prefix of its own, whose parts are of 5 MiB: the least that stores take. */
  readonly fs: () => FileSystem
  /** Puts an object under a key below the prefix, as other tools do. */
  readonly put: (key: string, text: string) => Promise<void>
  /** Begins an upload in parts, and leaves it at that. */
  readonly begin: (key: string) => Promise<void>
  /** All keys below the prefix, and of uploads that are neither completed nor given up. */
  readonly look: () => Promise<{ readonly keys: readonly string[]; readonly uploads: readonly string[] }>
  /** Names that this store does not take. @default none */
  readonly impossibleNames?: readonly string[]
  /** Whether it orders keys by their bytes. @default true */
  readonly isExact?: boolean
  /** Whether it looks and writes in one step, so that of two conditional writes at the same moment one is refused. @default true */
  readonly isAtomic?: boolean
  /** Whether its keys are no paths, so that there may be an object beside what is below its name, and any text. @default true */
  readonly isFlat?: boolean
  /** Whether it tells when an upload was begun. @default true */
  readonly tellsBegin?: boolean
}

/** The least bytes of a part that is not the last. */
export const storePartBytes = 5 * 2 ** 20

/** Names that have gone wrong somewhere: in URLs, signatures, XML, forms. */
const hostileNames = [
  '100%',
  '%41',
  '%2F',
  'a+b',
  'a b',
  ' lead',
  'trail ',
  'a#b',
  'a?b=c&d',
  'a;b=c',
  "it's (a)*!",
  '"quoted"',
  'back\\slash',
  'a:b',
  '...',
  '..a',
  '~',
  '[a]{b}',
  '<b>&amp;',
  '$HOME,@=',
  'caf\u00e9',
  'cafe\u0301',
  '日本語',
  '\u{1f600}',
  '\uffee',
  'x'.repeat(255),
]

/** What every store does, through the file system over it. */
export const describeStore = (name: string, subject: StoreSubject): void => {
  const {
    fs: open,
    put,
    begin,
    look,
    impossibleNames = [],
    isExact = true,
    isAtomic = true,
    isFlat = true,
    tellsBegin = true,
  } = subject
  const fs = (): FlatFileSystem => flat(open())
  const write = async (path: string, text: string, options = {}): Promise<void> =>
    void (await open().publish(path, chunksOf(text), options))
  const read = (path: string, options = {}): Promise<string> => readText(open(), path, options)
  const exists = async (path: string): Promise<boolean> =>
    (await open()
      .getFileStatus(path)
      .catch(() => undefined)) !== undefined

  describe(`${name}: files`, () => {
    test('keeps bytes, says what is there, and has directories of what keys have in common', async () => {
      const before = Date.now()
      const published = await open().publish('/files/a/f', chunksOf('one ', '', 'two'))
      expect(published).toMatchObject({
        outcome: 'done',
        status: { path: '/files/a/f', length: 7, isDirectory: false },
      })
      expect(await read('/files/a/f')).toBe('one two')
      const status = await open().getFileStatus('/files/a/f')
      expect(status).toMatchObject({ length: 7, isDirectory: false, permission: 0o644, replication: 1 })
      expect(status.modificationTime).toBeLessThan(before + 3_600_000)
      expect(await open().getFileStatus('/files/a')).toMatchObject({ isDirectory: true, length: 0, blockSize: 0 })
      expect(await open().getFileStatus('/')).toMatchObject({ path: '/', isDirectory: true })
    })

    test.for(hostileNames.filter(one => !impossibleNames.includes(one)))(
      'keeps the name %j as it is',
      async hostile => {
        await write(`/names/${hostile}/${hostile}`, hostile)
        expect(await read(`/names/${hostile}/${hostile}`)).toBe(hostile)
        expect(await listNames(open(), `/names/${hostile}`)).toEqual([hostile])
        await open().delete(`/names/${hostile}`, { recursive: true })
        expect(await exists(`/names/${hostile}`)).toBe(false)
      },
    )

    test.for([
      [{ offset: 0 }, '0123456789'],
      [{ offset: 3 }, '3456789'],
      [{ offset: 3, length: 4 }, '3456'],
      [{ offset: 8, length: 100 }, '89'],
      [{ length: 2 }, '01'],
      [{ length: 0 }, ''],
      [{ offset: 10 }, ''],
      [{ offset: 11, length: 1 }, ''],
    ] as const)('reads %o of ten bytes', async ([options, want]) => {
      await write('/ranges/ten', '0123456789', { overwrite: true })
      expect(await read('/ranges/ten', options)).toBe(want)
    })

    test('an empty file, whole and by range', async () => {
      await write('/empty/f', '')
      expect([await read('/empty/f'), await read('/empty/f', { length: 5 })]).toEqual(['', ''])
      expect((await open().getFileStatus('/empty/f')).length).toBe(0)
    })

    test('opened, it is the file that was opened, or an error', async () => {
      await write('/opened/f', 'old old')
      const file = await fs().openFile?.('/opened/f')
      expect(file?.status).toMatchObject({ length: 7 })
      expect(await new Response(await file?.read({ offset: 4 })).text()).toBe('old')
      await write('/opened/f', 'new new', { overwrite: true })
      await expectCode(Promise.resolve(file?.read()), 'unavailable')
    })

    test('says what is not there, and what is a directory', async () => {
      await write('/missing/d/f', 'x')
      await expectCode(open().open('/missing/none'), 'not-found')
      await expectCode(open().open('/missing/d'), 'is-directory')
      await expectCode(open().open('/missing/d', { length: 0 }), 'is-directory')
      await expectCode(open().getFileStatus('/missing/none'), 'not-found')
      await expectCode(open().getFileStatus('/missing/d/f/below'), 'not-found')
      await expectCode(listAll(open(), '/missing/none'), 'not-found')
    })

    test.for(['../out', '/../out', '/a/../../out', 'a\0b', '\ud800'])('%j leads nowhere', async path => {
      for (const call of [open().getFileStatus(path), open().open(path), listAll(open(), path), write(path, 'x')]) {
        await expectCode(call, 'bad-path')
      }
    })

    test('a key that is too long is refused', async () => {
      await expectCode(write(`/${'x'.repeat(250)}`.repeat(5), 'x'), 'bad-path')
    })
  })

  describe(`${name}: publish`, () => {
    const big = Buffer.alloc(2 * storePartBytes + 12_345, 'abcdefghijk')
    async function* bigChunks(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < big.length; at += 700_001) yield big.subarray(at, at + 700_001)
    }

    test('a file in parts', async () => {
      expect((await open().publish('/parts/f', bigChunks())).status.length).toBe(big.length)
      const chunks = await Array.fromAsync(await open().open('/parts/f'))
      expect(Buffer.compare(Buffer.concat(chunks), big)).toBe(0)
      expect((await look()).uploads).toEqual([])
    })

    test('never replaces what is there, unless it is asked to', async () => {
      await write('/once/f', 'old')
      await expectCode(write('/once/f', 'new'), 'exists')
      await expectCode(open().publish('/once/f', bigChunks()), 'exists')
      expect(await read('/once/f')).toBe('old')
      await write('/once/f', 'newer', { overwrite: true })
      expect(await read('/once/f')).toBe('newer')
      expect((await open().publish('/once/f', bigChunks(), { overwrite: true })).outcome).toBe('done')
      expect((await look()).uploads).toEqual([])
    })

    test('refuses a directory, and a file in the place of a directory', async () => {
      await write('/blocked/d/f', 'x')
      for (const overwrite of [false, true]) {
        await expectCode(write('/blocked/d', 'x', { overwrite }), 'is-directory')
        await expectCode(write('/blocked/d/f/below', 'x', { overwrite }), 'not-directory')
      }
      await expectCode(write('/', 'x'), 'is-directory')
    })

    test.runIf(isAtomic)('of ten at a time one is there, and nine know it', async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: 10 }, (_, at) => write('/race/f', `text ${at}`)))
      const won = outcomes.findIndex(({ status }) => status === 'fulfilled')
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await read('/race/f')).toBe(`text ${won}`)
    })

    test('the store honours the condition', async () => {
      await open().checkPublish?.('/condition')
      expect((await look()).keys.filter(key => key.startsWith('condition/'))).toEqual([])
    })

    test.for([1, 40])('a source that fails after %d chunks leaves nothing', async chunks => {
      const broken = new Error('the client went away')
      const source = async function* () {
        for (let left = chunks; left > 0; left--) yield Buffer.alloc(300_000)
        throw broken
      }
      await expect(open().publish(`/broken/${chunks}`, source())).rejects.toBe(broken)
      const { keys, uploads } = await look()
      expect([keys.filter(key => key.startsWith('broken/')), uploads]).toEqual([[], []])
    })

    test('an abort ends it, and leaves nothing', async () => {
      const controller = new AbortController()
      const source = async function* () {
        for (let sent = 0; sent < 30; sent++) yield Buffer.alloc(300_000)
        controller.abort(new Error('no more'))
        await new Promise(() => {})
      }
      await expectCode(open().publish('/aborted/f', source(), { signal: controller.signal }), 'unavailable')
      const { keys, uploads } = await look()
      expect([keys.filter(key => key.startsWith('aborted/')), uploads]).toEqual([[], []])
    })
  })

  test(`${name}: uploads below a directory are given up where their sender is gone`, async () => {
    for (const key of ['left/a b+c', 'left/a b+c', 'left/d/f', 'left/new', 'left-']) await begin(key)
    const asked: [path: string, age: number][] = []
    const isLeftOver = (path: string, age: number): boolean => {
      asked.push([path, age])
      return path !== '/left/new'
    }
    expect(await open().uploads?.giveUp('/left', isLeftOver)).toBe(3)
    expect(asked.map(([path]) => path).sort()).toEqual(['/left/a b+c', '/left/a b+c', '/left/d/f', '/left/new'])
    if (tellsBegin) expect(asked.every(([, age]) => Math.abs(age) < 600_000)).toBe(true)
    expect(await open().uploads?.giveUp('/', () => true)).toBe(2)
    expect((await look()).uploads).toEqual([])
    expect(await open().uploads?.giveUp('/', () => true)).toBe(0)
  })

  describe(`${name}: directories`, () => {
    test('lists in the order of its keys, and continues after any name', async () => {
      const beyond = isExact ? ['\uffee', '\u{1f600}'] : ['\uffee']
      const names = ['a', 'a-b', 'a.c', 'a0', 'b', 'b-1', 'caf\u00e9', 'cafe', 'z', ...beyond]
      for (const one of names) await write(one === 'a' || one === 'b' ? `/list/${one}/x` : `/list/${one}`, '1')
      const want = ['a-b', 'a.c', 'a', 'a0', 'b-1', 'b', 'cafe', 'caf\u00e9', 'z', ...beyond]
      expect(await listNames(open(), '/list')).toEqual(want)
      for (const [at, startAfter] of want.entries()) {
        expect(await listNames(open(), '/list', { startAfter })).toEqual(want.slice(at + 1))
      }
      expect(await listNames(open(), '/list', { startAfter: 'a1' })).toEqual(want.slice(4))
      expect(await listAll(open(), '/list/z')).toMatchObject([{ path: '/list/z', length: 1 }])
    })

    test('what other tools make: an empty object for a directory, an object beside its directory, odd names', async () => {
      const noPaths = isFlat ? ['odd/both/x', 'odd//x', `odd/${'y'.repeat(300)}`] : []
      for (const key of ['odd/', 'odd/d/', 'odd/both', 'odd/both-', 'odd/f', ...noPaths]) await put(key, '')
      expect(await listNames(open(), '/odd')).toEqual(['both', 'both-', 'd', 'f'])
      expect(await listNames(open(), '/odd', { startAfter: 'both-' })).toEqual(['d', 'f'])
      expect(await listNames(open(), '/odd', { startAfter: 'both' })).toEqual(['both-', 'd', 'f'])
      expect(await open().getFileStatus('/odd/both')).toMatchObject({ isDirectory: false })
      expect(await open().getFileStatus('/odd/d')).toMatchObject({ isDirectory: true })
      expect(await listNames(open(), '/odd/d')).toEqual([])
      expect(await open().delete('/odd', { recursive: true })).toBe(true)
      expect((await look()).keys.filter(key => key.startsWith('odd'))).toEqual([])
    })

    test('mkdirs makes an empty directory, and is content with one', async () => {
      await fs().mkdirs('/made/a/b')
      await fs().mkdirs('/made/a/b')
      await fs().mkdirs('/made/a')
      expect(await listNames(open(), '/made/a')).toEqual(['b'])
      expect((await look()).keys.filter(key => key.startsWith('made/'))).toEqual(['made/a/b/'])
      await write('/made/f', 'x')
      await expectCode(fs().mkdirs('/made/f'), 'not-directory')
      await expectCode(fs().mkdirs('/made/f/g'), 'not-directory')
    })

    test('delete says whether there was something, and keeps what is not empty', async () => {
      await write('/delete/d/f', 'x')
      await write('/delete/d/g', 'x')
      await fs().mkdirs('/delete/empty')
      await expectCode(open().delete('/delete/d'), 'not-empty')
      await expectCode(open().delete('/', { recursive: true }), 'bad-path')
      const call = (path: string, recursive = false) => open().delete(path, { recursive })
      expect([await call('/delete/d/g'), await call('/delete/d/g'), await call('/delete/empty')]).toEqual([
        true,
        false,
        true,
      ])
      expect([await call('/delete/d', true), await call('/delete/none', true)]).toEqual([true, false])
      expect((await look()).keys.filter(key => key.startsWith('delete/'))).toEqual([])
    })

    test('rename moves a file, and says what it does not', async () => {
      await write('/rename/a b+c', 'text')
      await write('/rename/other', 'x')
      await write('/rename/d/x', 'x')
      await fs().rename('/rename/a b+c', '/rename/new/é')
      expect([await exists('/rename/a b+c'), await read('/rename/new/é')]).toEqual([false, 'text'])
      await write('/rename/empty', '')
      await fs().rename('/rename/empty', '/rename/new/empty')
      expect([await read('/rename/new/empty'), (await look()).uploads]).toEqual(['', []])
      await expectCode(fs().rename('/rename/new/é', '/rename/other'), 'exists')
      await fs().rename('/rename/new/é', '/rename/other', { overwrite: true })
      expect(await read('/rename/other')).toBe('text')
      await expectCode(fs().rename('/rename/other', '/rename/other'), 'exists')
      await expectCode(fs().rename('/rename/none', '/rename/x'), 'not-found')
      await expectCode(fs().rename('/rename/d', '/rename/e'), 'unsupported')
      await expectCode(fs().rename('/rename/d', '/rename/d/e'), 'bad-path')
      await expectCode(fs().rename('/rename/other', '/rename/d'), 'exists')
      await expectCode(fs().rename('/rename/other', '/rename/d', { overwrite: true }), 'is-directory')
      await expectCode(fs().rename('/rename/other', '/rename/d/x/y'), 'not-directory')
      expect(await read('/rename/other')).toBe('text')
    })

    test('a summary counts all below a path, and itself', async () => {
      await write('/sum/a', '12345')
      await write('/sum/deep/er/b', '1234567890')
      await write('/sum/deep/er-/c', '1')
      await fs().mkdirs('/sum/empty')
      const none = { quota: -1, spaceQuota: -1 }
      const want = { directoryCount: 5, fileCount: 3, length: 16, spaceConsumed: 16, ...none }
      expect(await fs().getContentSummary('/sum')).toEqual(want)
      const file = { directoryCount: 0, fileCount: 1, length: 5, spaceConsumed: 5, ...none }
      expect(await fs().getContentSummary('/sum/a')).toEqual(file)
      await expectCode(fs().getContentSummary('/sum/none'), 'not-found')
      await expectCode(fs().getContentSummary('/sum', { signal: AbortSignal.abort() }), 'unavailable')
    })

    test('what it lacks is refused plainly', async () => {
      await write('/lacks/f', 'x')
      for (const call of [
        fs().append('/lacks/f', chunksOf('y')),
        fs().setPermission('/lacks/f', 0o600),
        fs().setOwner('/lacks/f', { owner: 'ann' }),
        fs().setTimes('/lacks/f', { accessTime: 1 }),
      ]) {
        await expect(call).rejects.toThrow(/^s3:\/\/[^ ]+ doesn't support \w+$/)
      }
      await fs().access('/lacks/f', 6)
    })
  })

  test(`${name}: answers a probe, and its URL holds no secret`, async () => {
    await open().probe()
    expect(open().url).toMatch(/^s3:\/\/[\w-]+\/[\w-]+$/)
  })
}
