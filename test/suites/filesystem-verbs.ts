import { describe, expect, test } from 'vitest'
import type { FileStatus } from '../../src/filesystem/filesystem.ts'
import { chunksOf, expectCode, listNames, readText } from './file-text.ts'
import type { FlatFileSystem as FileSystem } from './flat-filesystem.ts'

/** Verbs that not every file system has. */
export type UnsupportedVerb = 'getFileChecksum'

type Subject = {
  readonly fs: () => FileSystem
  readonly base: string
  readonly unsupported?: readonly UnsupportedVerb[]
  /** Whether owners are those of this machine, and a file has one copy. @default false */
  readonly isOfMachine?: boolean
  /** Whether the caller may do everything. @default false */
  readonly isSuperuser?: boolean
  /** Copies of a file when nothing is said. @default 1 */
  readonly replication?: number
}

/** What every {@link FileSystem} does beside reading, writing and moving. Below `base`, in a directory for each verb. */
export const describeVerbs = (
  name: string,
  { fs, base, unsupported = [], isOfMachine = false, isSuperuser = false, replication = 1 }: Subject,
): void => {
  const at = (path: string): string => `${base}/${path}`
  const write = (path: string, text: string, options = {}): Promise<void> =>
    fs().create(at(path), chunksOf(text), options)
  const read = (path: string): Promise<string> => readText(fs(), at(path))
  const status = (path: string): Promise<FileStatus> => fs().getFileStatus(at(path))
  const append = (path: string, ...texts: readonly string[]): Promise<void> => fs().append(at(path), chunksOf(...texts))

  describe(`${name}: append`, () => {
    test('adds bytes behind those that are there, as often as one likes', async () => {
      await write('append/file', 'one ')
      await append('append/file', 'two ', '', 'three ')
      await append('append/file', 'four')
      expect(await read('append/file')).toBe('one two three four')
      expect((await status('append/file')).length).toBe(18)
      expect(await listNames(fs(), at('append'))).toEqual(['file'])
    })

    test('adds to an empty file, and nothing to any', async () => {
      await write('append-empty/file', '')
      await append('append-empty/file')
      await append('append-empty/file', '', '')
      expect(await read('append-empty/file')).toBe('')
      await append('append-empty/file', 'first')
      await append('append-empty/file')
      expect(await read('append-empty/file')).toBe('first')
      expect(await listNames(fs(), at('append-empty'))).toEqual(['file'])
    })

    test('adds a megabyte of every byte value', async () => {
      const bytes = Uint8Array.from({ length: 1_048_577 }, (_, index) => (index * 31) % 251)
      const source = async function* () {
        for (let from = 0; from < bytes.length; from += 100_000) yield bytes.subarray(from, from + 100_000)
      }
      await fs().create(at('append/big'), source())
      await fs().append(at('append/big'), source())
      const chunks = await Array.fromAsync(await fs().open(at('append/big')))
      expect(Buffer.compare(Buffer.concat(chunks), Buffer.concat([bytes, bytes]))).toBe(0)
    })

    test.for([0o644, 0o600, 0o666])('keeps permission bits %o, and whose file it is', async permission => {
      const path = `append/permission-${permission.toString(8)}`
      await write(path, 'x', { permission })
      const before = await status(path)
      await append(path, 'y')
      const { owner, group, replication, blockSize } = before
      expect(await status(path)).toMatchObject({ permission, owner, group, replication, blockSize, length: 2 })
    })

    test('refuses what is missing, and a directory', async () => {
      await write('append-refused/dir/file', 'x')
      await expectCode(append('append-refused/none', 'x'), 'not-found')
      await expectCode(append('append-refused/none'), 'not-found')
      await expectCode(append('append-refused/none/deeper', 'x'), 'not-found')
      await expectCode(append('append-refused/dir/file/below', 'x'), 'not-found')
      await expectCode(append('append-refused/dir', 'x'), 'is-directory')
      await expectCode(append('append-refused/dir'), 'is-directory')
      expect(await listNames(fs(), at('append-refused'))).toEqual(['dir'])
      expect(await read('append-refused/dir/file')).toBe('x')
    })

    test.for([0, 1, 2, 3, 4])(
      'cut after %d of 4 chunks: the error is passed on, and nothing was added',
      async chunks => {
        await write(`append-cut/${chunks}/file`, 'whole', { overwrite: true })
        const broken = new Error('the client went away')
        const source = async function* () {
          for (let left = chunks; left > 0; left--) yield new Uint8Array(50_000)
          throw broken
        }
        const outcome = await fs()
          .append(at(`append-cut/${chunks}/file`), source())
          .catch((error: unknown) => error)
        expect(outcome).toBe(broken)
        expect(await read(`append-cut/${chunks}/file`)).toBe('whole')
        await expect.poll(() => listNames(fs(), at(`append-cut/${chunks}`))).toEqual(['file'])
      },
    )

    test.for([0, 1])(
      'aborted after %d chunks it rejects at once, lets the source go, and adds nothing',
      async chunks => {
        const path = `append-aborted/${chunks}/file`
        await write(path, 'whole', { overwrite: true })
        const controller = new AbortController()
        let released = false
        let given = 0
        const source: AsyncIterable<Uint8Array> = {
          [Symbol.asyncIterator]: () => ({
            next: () => {
              if (given++ < chunks) return Promise.resolve({ done: false, value: new Uint8Array(50_000) })
              controller.abort(new Error('no more'))
              return new Promise(() => {})
            },
            return: () => {
              released = true
              return Promise.resolve({ done: true, value: undefined })
            },
          }),
        }
        await expectCode(fs().append(at(path), source, { signal: controller.signal }), 'unavailable')
        expect(released).toBe(true)
        expect(await read(path)).toBe('whole')
        await expect.poll(() => listNames(fs(), at(`append-aborted/${chunks}`))).toEqual(['file'])
      },
    )

    test('a signal that is aborted already adds nothing', async () => {
      await write('append/never', 'x')
      const call = fs().append(at('append/never'), chunksOf('y'), { signal: AbortSignal.abort() })
      await expectCode(call, 'unavailable')
      expect(await read('append/never')).toBe('x')
    })

    test('of several at a time each is added whole, in some order', async () => {
      await write('append-race/file', '>')
      const texts = ['a', 'b', 'c', 'd', 'e'].map(letter => letter.repeat(1_000))
      await Promise.all(texts.map(text => append('append-race/file', text.slice(0, 400), text.slice(400))))
      const found = await read('append-race/file')
      expect(found).toHaveLength(5_001)
      for (const text of texts) expect(found).toContain(text)
      expect(await listNames(fs(), at('append-race'))).toEqual(['file'])
    })

    test('readers see the old file or the new one while it is added to', async () => {
      await write('append-readers/file', '0')
      for (let round = 1; round <= 5; round++) {
        const [before] = await Promise.all([read('append-readers/file'), append('append-readers/file', `,${round}`)])
        expect(['0', '0,1', '0,1,2', '0,1,2,3', '0,1,2,3,4', '0,1,2,3,4,5']).toContain(before)
      }
      expect(await read('append-readers/file')).toBe('0,1,2,3,4,5')
    })
  })

  describe(`${name}: attributes`, () => {
    test.for([0o600, 0o640, 0o755, 0o777, 0o1777, 0o000])('setPermission sets %o exactly', async permission => {
      const path = `permission/${permission.toString(8)}`
      await write(`${path}/file`, 'x')
      await fs().setPermission(at(`${path}/file`), permission)
      await fs().setPermission(at(path), permission | 0o700)
      expect((await status(`${path}/file`)).permission).toBe(permission)
      expect((await status(path)).permission).toBe(permission | 0o700)
    })

    test('setTimes sets one time or both, to the ms', async () => {
      await write('times/file', 'x')
      await fs().setTimes(at('times/file'), { modificationTime: 1_700_000_000_123, accessTime: 1_600_000_000_456 })
      expect(await status('times/file')).toMatchObject({
        modificationTime: 1_700_000_000_123,
        accessTime: 1_600_000_000_456,
      })
      await fs().setTimes(at('times/file'), { accessTime: 1_500_000_000_001 })
      await fs().setTimes(at('times/file'), { modificationTime: 1_500_000_000_999 })
      const want = { modificationTime: 1_500_000_000_999, accessTime: 1_500_000_000_001 }
      expect(await status('times/file')).toMatchObject(want)
      await fs().setTimes(at('times/file'), {})
      expect(await status('times/file')).toMatchObject(want)
      await fs().setTimes(at('times'), { modificationTime: 86_400_000 })
      expect((await status('times')).modificationTime).toBe(86_400_000)
    })

    test.skipIf(isOfMachine)('setOwner sets the owner, the group or both', async () => {
      await write('owner/file', 'x')
      await fs().setOwner(at('owner/file'), { owner: 'ann', group: 'staff' })
      expect(await status('owner/file')).toMatchObject({ owner: 'ann', group: 'staff' })
      await fs().setOwner(at('owner/file'), { owner: 'bob' })
      await fs().setOwner(at('owner'), { group: 'users' })
      expect(await status('owner/file')).toMatchObject({ owner: 'bob', group: 'staff' })
      expect(await status('owner')).toMatchObject({ group: 'users' })
    })

    test.skipIf(isOfMachine)('setReplication counts for files', async () => {
      await write('replication/file', 'x')
      expect(await fs().setReplication(at('replication/file'), 2)).toBe(true)
      expect((await status('replication/file')).replication).toBe(2)
      expect(await fs().setReplication(at('replication'), 2)).toBe(false)
    })

    test('access grants what the bits of a file do', async () => {
      await write('access/file', 'x', { permission: 0o644 })
      for (const action of [0, 2, 4, 6]) await fs().access(at('access/file'), action)
      for (const action of [0, 1, 2, 4, 5, 6, 7]) await fs().access(at('access'), action)
      if (isSuperuser) return
      await expectCode(fs().access(at('access/file'), 1), 'denied')
      await expectCode(fs().access(at('access/file'), 7), 'denied')
    })
  })

  describe(`${name}: facts`, () => {
    test('getContentSummary counts all below a path, and itself', async () => {
      await write('summary/a', '12345')
      await write('summary/.hidden', '1')
      await write('summary/deep/er/b', '1234567890')
      await fs().mkdirs(at('summary/empty'))
      const none = { quota: -1, spaceQuota: -1 }
      expect(await fs().getContentSummary(at('summary'))).toEqual({
        directoryCount: 4,
        fileCount: 3,
        length: 16,
        spaceConsumed: 16 * replication,
        ...none,
      })
      const file = { directoryCount: 0, fileCount: 1, length: 5, spaceConsumed: 5 * replication, ...none }
      expect(await fs().getContentSummary(at('summary/a'))).toEqual(file)
      const empty = { directoryCount: 1, fileCount: 0, length: 0, spaceConsumed: 0, ...none }
      expect(await fs().getContentSummary(at('summary/empty'))).toEqual(empty)
    })

    test('getContentSummary can be aborted', async () => {
      await write('summary-aborted/a', 'x')
      const call = fs().getContentSummary(at('summary-aborted'), { signal: AbortSignal.abort() })
      await expectCode(call, 'unavailable')
    })

    test.skipIf(unsupported.includes('getFileChecksum'))('getFileChecksum is that of the bytes', async () => {
      await write('checksum/a', 'same')
      await write('checksum/b', 'same')
      await write('checksum/c', 'other')
      const [a, b, c] = await Promise.all(['a', 'b', 'c'].map(one => fs().getFileChecksum(at(`checksum/${one}`))))
      expect(a).toEqual(b)
      expect(a?.bytes).not.toBe(c?.bytes)
      expect(a?.algorithm).toMatch(/MD5/)
      expect(a?.bytes).toMatch(/^[0-9a-f]+$/)
      expect(a?.bytes.length).toBeGreaterThanOrEqual((a?.length ?? 0) * 2)
      await expectCode(fs().getFileChecksum(at('checksum')), 'is-directory')
    })

    test('getFileBlockLocations tells of the blocks that a range touches', async () => {
      await write('locations/file', '0123456789')
      await write('locations/empty', '')
      // Copies are listed in any order.
      const locate = async (path: string, offset: number, length: number) => {
        const blocks = await fs().getFileBlockLocations(at(`locations/${path}`), offset, length)
        return blocks.map(block => ({ ...block, names: block.names.toSorted() }))
      }
      const [first, ...more] = await locate('file', 3, 4)
      expect(more).toEqual([])
      expect(first).toMatchObject({ offset: 0, length: 10 })
      expect(first?.hosts).toHaveLength(replication)
      expect(first?.names[0]).toMatch(/^[^:]+:\d+$/)
      expect(await locate('file', 0, 100)).toEqual([first])
      expect(await locate('file', 9, 1)).toEqual([first])
      expect(await locate('file', 3, 0)).toEqual([])
      expect(await locate('file', 10, 1)).toEqual([])
      expect(await locate('file', 11, 1)).toEqual([])
      expect(await locate('empty', 0, 1)).toEqual([])
      await expectCode(fs().getFileBlockLocations(at('locations'), 0, 1), 'is-directory')
      await expectCode(fs().getFileBlockLocations(at('locations'), 0, 0), 'is-directory')
    })

    test('getStatus and getServerDefaults tell of the file system', async () => {
      await write('facts/file', 'x')
      const { capacity, used, remaining } = await fs().getStatus(at('facts/file'))
      expect(capacity).toBeGreaterThan(0)
      expect(used).toBeGreaterThanOrEqual(0)
      expect(remaining).toBeGreaterThan(0)
      expect(used + remaining).toBeLessThanOrEqual(capacity)
      const defaults = await fs().getServerDefaults(at('facts'))
      expect(defaults).toMatchObject({ replication, bytesPerChecksum: 512, encryptDataTransfer: false })
      expect(defaults.blockSize).toBe((await status('facts/file')).blockSize)
    })
  })

  test(`${name}: the verbs report what is not there, before what cannot be done`, async () => {
    await write('verbs/file', 'x')
    for (const path of ['verbs/none', 'verbs/none/deeper', 'verbs/file/below'].map(at)) {
      await expectCode(fs().setPermission(path, 0o600), 'not-found')
      await expectCode(fs().setOwner(path, { owner: 'x' }), 'not-found')
      await expectCode(fs().setReplication(path, 1), 'not-found')
      await expectCode(fs().setTimes(path, { accessTime: 1 }), 'not-found')
      await expectCode(fs().setTimes(path, {}), 'not-found')
      await expectCode(fs().getContentSummary(path), 'not-found')
      await expectCode(fs().getFileChecksum(path), 'not-found')
      await expectCode(fs().getFileBlockLocations(path, 0, 1), 'not-found')
      await expectCode(fs().getFileBlockLocations(path, 0, 0), 'not-found')
      await expectCode(fs().access(path, 0), 'not-found')
    }
  })

  test.for(unsupported)(`${name}: %s is refused in Hadoop's words`, async verb => {
    await write('unsupported', 'x', { overwrite: true })
    const path = at('unsupported')
    const calls = {
      getFileChecksum: () => fs().getFileChecksum(path),
    }
    await expectCode(calls[verb](), 'unsupported')
    await expect(calls[verb]()).rejects.toThrow(`doesn't support ${verb}`)
  })

  test(`${name}: what no file can have is a RangeError`, async () => {
    await write('range', 'x', { overwrite: true })
    const path = at('range')
    const calls = [
      ...[-1, 0o2000, 1.5].map(bits => () => fs().setPermission(path, bits)),
      ...[0, -1, 1.5, 32_768].map(replication => () => fs().setReplication(path, replication)),
      ...[-1, 1.5, Number.NaN].map(accessTime => () => fs().setTimes(path, { accessTime })),
      ...[-1, 8, 1.5].map(action => () => fs().access(path, action)),
      ...[-1, 1.5].map(offset => () => fs().getFileBlockLocations(path, offset, 1)),
      () => fs().getFileBlockLocations(path, 0, -1),
    ]
    for (const call of calls) await expect(call()).rejects.toThrow(RangeError)
  })
}
