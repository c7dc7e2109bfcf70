import { describe, expect, test } from 'vitest'
import type { FileStatus } from '../../src/filesystem/filesystem.ts'
import { openFile } from '../../src/filesystem/open-file.ts'
import { chunksOf, expectCode, listNames, readText } from './file-text.ts'
import { describeVerbs, type UnsupportedVerb } from './filesystem-verbs.ts'
import type { FlatFileSystem as FileSystem } from './flat-filesystem.ts'
import { listAll } from './list-all.ts'
import { describePublish } from './publish.ts'

export { chunksOf, expectCode, listNames, readText } from './file-text.ts'

/** What the suite may rely on. Everything happens below `base`, a path that does not exist yet. */
export type FileSystemSubject = {
  readonly fs: () => FileSystem
  readonly base: string
  /** Files in the big directory. @default 10 000 */
  readonly manyFiles?: number
  /** Names that this file system cannot have. */
  readonly impossibleNames?: readonly string[]
  readonly unsupported?: readonly UnsupportedVerb[]
  /** Whether owners are those of this machine, and a file has one copy. @default false */
  readonly isOfMachine?: boolean
  /** Whether the caller may do everything. @default false */
  readonly isSuperuser?: boolean
  /** Copies of a file when nothing is said. @default 1 */
  readonly replication?: number
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Names that have gone wrong somewhere: in URLs, query strings, shells, JSON, or by Unicode normalisation. */
const hostileNames = [
  '100%',
  '%41',
  '%2F',
  '%252e',
  'a+b',
  'a b',
  ' lead',
  'trail ',
  'a#b',
  'a?b=c&d',
  'a;b=c',
  'a&b',
  "it's",
  '"quoted"',
  'back\\slash',
  'a:b',
  '...',
  '..a',
  '-rf',
  '~',
  '*',
  '[a]{b}',
  '<b>',
  '$HOME',
  'line\nbreak',
  'tab\t',
  'caf\u00e9',
  'cafe\u0301',
  'e\u0301+;%\u212b',
  '日本語',
  '\u{1f600}',
  '\uffee',
  '_SUCCESS',
  '.hidden',
  'x'.repeat(255),
]

/** What every {@link FileSystem} does. */
export const describeFileSystem = (name: string, subject: FileSystemSubject): void => {
  const { base, manyFiles = 10_000, impossibleNames = [] } = subject
  const at = (path: string): string => `${base}/${path}`
  const write = (path: string, text: string, options = {}): Promise<void> =>
    subject.fs().create(at(path), chunksOf(text), options)
  const read = (path: string, options = {}): Promise<string> => readText(subject.fs(), at(path), options)
  const status = (path: string): Promise<FileStatus> => subject.fs().getFileStatus(at(path))

  describe(`${name}: create and open`, () => {
    test('keeps the bytes, and creates parents', async () => {
      await subject.fs().create(at('create/a/b/file'), chunksOf('one ', '', 'two'))
      expect(await read('create/a/b/file')).toBe('one two')
      expect(await status('create/a/b/file')).toMatchObject({
        isDirectory: false,
        length: 7,
        path: at('create/a/b/file'),
      })
      expect(await status('create/a')).toMatchObject({ isDirectory: true, length: 0, replication: 0, blockSize: 0 })
    })

    test('keeps an empty file', async () => {
      await subject.fs().create(at('create/empty'), chunksOf())
      expect(await read('create/empty')).toBe('')
      expect((await status('create/empty')).length).toBe(0)
    })

    test('keeps a megabyte of every byte value', async () => {
      const bytes = Uint8Array.from({ length: 1_048_577 }, (_, index) => (index * 31) % 251)
      await subject.fs().create(
        at('create/big'),
        (async function* () {
          for (let from = 0; from < bytes.length; from += 100_000) yield bytes.subarray(from, from + 100_000)
        })(),
      )
      const chunks = await Array.fromAsync(await subject.fs().open(at('create/big')))
      expect(Buffer.compare(Buffer.concat(chunks), bytes)).toBe(0)
    })

    test('refuses an existing file unless it overwrites', async () => {
      await write('create/once', 'old')
      await expectCode(write('create/once', 'new'), 'exists')
      expect(await read('create/once')).toBe('old')
      await write('create/once', 'newer', { overwrite: true })
      expect(await read('create/once')).toBe('newer')
    })

    test('refuses a directory, and a file in the place of a parent', async () => {
      await write('create/dir/file', 'x')
      await expectCode(write('create/dir', 'x'), 'is-directory')
      await expectCode(write('create/dir', 'x', { overwrite: true }), 'is-directory')
      await expectCode(write('create/dir/file/below', 'x'), 'not-directory')
      await expectCode(subject.fs().open(at('create/dir')), 'is-directory')
    })

    test.for([0o600, 0o640, 0o644, 0o666, 0o777, 0o000])('keeps permission bits %o exactly', async permission => {
      const path = `create/permission-${permission.toString(8)}`
      await write(path, 'x', { permission })
      expect((await status(path)).permission).toBe(permission)
    })

    test('creates files as 0644 and their directories as 0755 by default', async () => {
      await write('create/default/file', 'x')
      await write('create/default/file', 'y', { overwrite: true })
      await subject.fs().mkdirs(at('create/default/made/deep'))
      const paths = ['file', 'made', 'made/deep'].map(name => `create/default/${name}`)
      const permissions = await Promise.all(
        ['create/default', ...paths].map(async path => (await status(path)).permission),
      )
      expect(permissions).toEqual([0o755, 0o644, 0o755, 0o755])
    })

    test('passes an error of the source on, as it is', async () => {
      const broken = new Error('the client went away')
      const source = async function* () {
        yield encoder.encode('half')
        throw broken
      }
      const outcome = await subject
        .fs()
        .create(at('create/broken.tmp'), source())
        .catch((error: unknown) => error)
      expect(outcome).toBe(broken)
    })

    test('an aborted create rejects at once, and lets the source go', async () => {
      const controller = new AbortController()
      let released = false
      const source: AsyncIterable<Uint8Array> = {
        [Symbol.asyncIterator]: () => {
          let first = true
          return {
            next: () => {
              if (first) {
                first = false
                return Promise.resolve({ done: false, value: encoder.encode('half') })
              }
              controller.abort(new Error('no more'))
              return new Promise(() => {})
            },
            return: () => {
              released = true
              return Promise.resolve({ done: true, value: undefined })
            },
          }
        },
      }
      const call = subject.fs().create(at('create/aborted.tmp'), source, { signal: controller.signal })
      await expectCode(call, 'unavailable')
      expect(released).toBe(true)
      await expectCode(status('create/aborted'), 'not-found')
    })

    test('a signal that is aborted already writes nothing', async () => {
      await expectCode(write('create/never', 'x', { signal: AbortSignal.abort() }), 'unavailable')
      await expectCode(status('create/never'), 'not-found')
    })

    test.for([
      { options: { offset: 0 }, want: '0123456789' },
      { options: { offset: 3 }, want: '3456789' },
      { options: { offset: 3, length: 4 }, want: '3456' },
      { options: { offset: 8, length: 100 }, want: '89' },
      { options: { length: 2 }, want: '01' },
      { options: { length: 0 }, want: '' },
      { options: { offset: 10 }, want: '' },
      { options: { offset: 11, length: 1 }, want: '' },
    ])('reads $options of ten bytes', async ({ options, want }) => {
      await write('open/ten', '0123456789', { overwrite: true })
      expect(await read('open/ten', options)).toBe(want)
    })

    test('a reader may leave early, and abort', async () => {
      await write('open/long', 'x'.repeat(300_000))
      const stream = await subject.fs().open(at('open/long'))
      await stream.cancel()
      const controller = new AbortController()
      const aborted = await subject.fs().open(at('open/long'), { signal: controller.signal })
      controller.abort(new Error('enough'))
      await expectCode(Array.fromAsync(aborted), 'unavailable')
    })

    test('reports what is not there', async () => {
      await write('missing/file', 'x')
      await expectCode(subject.fs().open(at('missing/none')), 'not-found')
      await expectCode(status('missing/none'), 'not-found')
      await expectCode(status('missing/none/deeper'), 'not-found')
      await expectCode(status('missing/file/below'), 'not-found')
      await expectCode(listNames(subject.fs(), at('missing/none')), 'not-found')
    })
  })

  describe(`${name}: openFile`, () => {
    const open = (path: string) => openFile(subject.fs(), at(path))

    test('says what is there, and reads it', async () => {
      await write('opened/file', '0123456789')
      const file = await open('opened/file')
      expect(file.status).toEqual(await status('opened/file'))
      expect(decoder.decode(await new Response(await file.read({ offset: 2, length: 3 })).bytes())).toBe('234')
      file.close()
      const other = await open('opened/file')
      other.close()
      other.close()
    })

    test('a directory can be looked at, and not read; what is missing is not found', async () => {
      const directory = await open('opened')
      expect(directory.status).toEqual(await status('opened'))
      await expectCode(directory.read(), 'is-directory')
      directory.close()
      await expectCode(open('opened/none'), 'not-found')
      await expectCode(open('opened/file/below'), 'not-found')
    })

    test('an abort ends it', async () => {
      await write('opened/long', 'x'.repeat(300_000))
      const controller = new AbortController()
      const stream = await (await open('opened/long')).read({ signal: controller.signal })
      controller.abort(new Error('enough'))
      await expectCode(Array.fromAsync(stream), 'unavailable')
    })
  })

  describe(`${name}: names`, () => {
    test.for(hostileNames.filter(name => !impossibleNames.includes(name)))('%j survives every call', async name => {
      const fs = subject.fs()
      const directory = `names/${hostileNames.indexOf(name)}`
      const path = `${directory}/${name}`
      await write(path, name)
      expect(await read(path)).toBe(name)
      expect((await status(path)).path).toBe(at(path))
      expect(await listNames(fs, at(directory))).toEqual([name])
      expect(await listAll(fs, at(path))).toEqual([await status(path)])
      await fs.append(at(path), chunksOf('+'))
      expect(await read(path)).toBe(`${name}+`)
      await fs.setPermission(at(path), 0o640)
      await fs.access(at(path), 4)
      expect((await fs.getContentSummary(at(path))).length).toBe((await status(path)).length)
      expect(await fs.getFileBlockLocations(at(path), 0, 1)).toHaveLength(1)
      expect(await listNames(fs, at(directory))).toEqual([name])
      await fs.rename(at(path), at(`${directory}/plain`))
      await fs.rename(at(`${directory}/plain`), at(path))
      await fs.mkdirs(at(`${directory}/d/${name}`))
      expect(await listNames(fs, at(`${directory}/d`), { startAfter: '' })).toEqual([name])
      expect(await listNames(fs, at(`${directory}/d`), { startAfter: name })).toEqual([])
      expect(await fs.delete(at(path))).toBe(true)
      expect(await listNames(fs, at(directory))).toEqual(['d'])
    })

    test.for(impossibleNames)('%j is refused', async name => {
      await expectCode(write(`names/${name}`, 'x'), 'bad-path')
    })

    test.for([
      'relative',
      '',
      '/../x',
      '/a/../../x',
      '/nul\0',
      `/${'x'.repeat(256)}`,
      `/${'é'.repeat(128)}`,
      '/\ud800',
    ])('%j is no path', async path => {
      const fs = subject.fs()
      await expectCode(fs.create(path, chunksOf('x')), 'bad-path')
      await expectCode(fs.open(path), 'bad-path')
      await expectCode(fs.getFileStatus(path), 'bad-path')
      await expectCode(listNames(fs, path), 'bad-path')
      await expectCode(fs.mkdirs(path), 'bad-path')
      await expectCode(fs.rename(path, at('x')), 'bad-path')
      await expectCode(fs.delete(path), 'bad-path')
      await expectCode(fs.append(path, chunksOf('x')), 'bad-path')
      await expectCode(fs.setPermission(path, 0o600), 'bad-path')
      await expectCode(fs.setOwner(path, { owner: 'x' }), 'bad-path')
      await expectCode(fs.setReplication(path, 1), 'bad-path')
      await expectCode(fs.setTimes(path, { accessTime: 0 }), 'bad-path')
      await expectCode(fs.getContentSummary(path), 'bad-path')
      await expectCode(fs.getFileChecksum(path), 'bad-path')
      await expectCode(fs.getFileBlockLocations(path, 0, 1), 'bad-path')
      await expectCode(fs.getStatus(path), 'bad-path')
      await expectCode(fs.getServerDefaults(path), 'bad-path')
      await expectCode(fs.access(path, 4), 'bad-path')
    })

    test('"//", "/./", "/../" and a "/" at the end are only spelling', async () => {
      await write('names/spelled/file', 'x')
      expect((await subject.fs().getFileStatus(`/${at('names')}//other/.././spelled/file/`)).path).toBe(
        at('names/spelled/file'),
      )
    })
  })

  describe(`${name}: listStatus`, () => {
    test('sorts as HDFS does: beyond ASCII first, else by bytes', async () => {
      const names = ['B', 'Z', '_', 'a', 'aa', 'a~', 'é', '\uffee', '\u{1f600}', '-', '10', '9', 'a!']
      for (const name of names) await write(`list/${name}`, '')
      const want = ['é', '\uffee', '\u{1f600}', '-', '10', '9', 'B', 'Z', '_', 'a', 'a!', 'aa', 'a~']
      expect(await listNames(subject.fs(), at('list'))).toEqual(want)
      expect(await listNames(subject.fs(), at('list'), { startAfter: 'a' })).toEqual(want.slice(want.indexOf('a') + 1))
      // A name that is not there is a place in the order all the same.
      expect(await listNames(subject.fs(), at('list'), { startAfter: 'aaa' })).toEqual(
        want.slice(want.indexOf('aa') + 1),
      )
    })

    test('an empty directory has no entries, a file yields itself', async () => {
      await subject.fs().mkdirs(at('list-empty'))
      expect(await listNames(subject.fs(), at('list-empty'))).toEqual([])
    })

    test(`lists ${manyFiles} directories, and stops when told`, async () => {
      const names = Array.from({ length: manyFiles }, (_, index) => `n${String(index).padStart(6, '0')}`)
      for (let from = 0; from < names.length; from += 50) {
        await Promise.all(names.slice(from, from + 50).map(name => subject.fs().mkdirs(at(`many/${name}`))))
      }
      expect(await listNames(subject.fs(), at('many'))).toEqual(names)
      const seen: string[] = []
      for await (const part of subject.fs().listStatus(at('many'))) {
        seen.push(...part.map(({ path }) => path))
        break
      }
      expect(seen.length).toBeGreaterThan(0)
      expect(seen.length).toBeLessThanOrEqual(1_000)
      expect(seen).toEqual(names.slice(0, seen.length).map(name => at(`many/${name}`)))
    })
  })

  describe(`${name}: mkdirs`, () => {
    test('an existing directory is fine, a file is not', async () => {
      await subject.fs().mkdirs(at('mkdirs/a/b'))
      await subject.fs().mkdirs(at('mkdirs/a/b'))
      await write('mkdirs/file', 'x')
      await expectCode(subject.fs().mkdirs(at('mkdirs/file')), 'not-directory')
      await expectCode(subject.fs().mkdirs(at('mkdirs/file/below')), 'not-directory')
    })

    test.for([0o700, 0o755, 0o777, 0o1777])('keeps permission bits %o exactly', async permission => {
      const path = `mkdirs/permission-${permission.toString(8)}`
      await subject.fs().mkdirs(at(path), { permission })
      expect((await status(path)).permission).toBe(permission)
    })
  })

  describe(`${name}: rename`, () => {
    test('moves a file, creating the parent', async () => {
      await write('rename/a', 'A')
      await subject.fs().rename(at('rename/a'), at('rename/new/deep/b'))
      expect(await read('rename/new/deep/b')).toBe('A')
      await expectCode(status('rename/a'), 'not-found')
    })

    test('moves a directory with all below it', async () => {
      await write('rename/tree/x/y', 'Y')
      await subject.fs().rename(at('rename/tree'), at('rename/moved'))
      expect(await read('rename/moved/x/y')).toBe('Y')
      await expectCode(status('rename/tree'), 'not-found')
    })

    test.for(['file', 'directory', 'full'])('never replaces: target is a %s', async kind => {
      const [source, target] = [`rename/no-${kind}/source`, `rename/no-${kind}/target`]
      await write(source, 'new')
      await subject.fs().mkdirs(at(`rename/no-${kind}/dir`))
      if (kind === 'file') await write(target, 'old')
      else await subject.fs().mkdirs(at(kind === 'full' ? `${target}/x` : target))
      await expectCode(subject.fs().rename(at(source), at(target)), 'exists')
      await expectCode(subject.fs().rename(at(`rename/no-${kind}/dir`), at(target)), 'exists')
      expect(await read(source)).toBe('new')
      expect((await status(target)).isDirectory).toBe(kind !== 'file')
      if (kind === 'file') expect(await read(target)).toBe('old')
    })

    test('of two renames to one target exactly one succeeds', async () => {
      const sources = ['a', 'b', 'c', 'd'].map(name => `rename/race/${name}`)
      for (const source of sources) await write(source, source)
      const fs = subject.fs()
      const outcomes = await Promise.allSettled(sources.map(source => fs.rename(at(source), at('rename/race/target'))))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const winner = sources[outcomes.findIndex(({ status }) => status === 'fulfilled')]
      expect(await read('rename/race/target')).toBe(winner)
      expect(await listNames(fs, at('rename/race'))).toHaveLength(4)
    })

    test('replaces a file when told to', async () => {
      await write('rename/over/source', 'new')
      await write('rename/over/target', 'old')
      await subject.fs().rename(at('rename/over/source'), at('rename/over/target'), { overwrite: true })
      expect(await read('rename/over/target')).toBe('new')
      expect(await listNames(subject.fs(), at('rename/over'))).toEqual(['target'])
    })

    test('readers see the old file or the new one while it is replaced', async () => {
      const fs = subject.fs()
      await write('rename/atomic/target', 'old old old')
      const contents = new Set<string>()
      for (let round = 0; round < 10; round++) {
        await write('rename/atomic/source', 'new new new')
        const [text] = await Promise.all([
          read('rename/atomic/target'),
          fs.rename(at('rename/atomic/source'), at('rename/atomic/target'), { overwrite: true }),
        ])
        contents.add(text)
      }
      for (const text of contents) expect(['old old old', 'new new new']).toContain(text)
      expect(await read('rename/atomic/target')).toBe('new new new')
    })

    test('overwriting keeps to the kind, and spares full directories', async () => {
      await write('rename/kind/file', 'x')
      await write('rename/kind/full/x', 'x')
      await subject.fs().mkdirs(at('rename/kind/dir'))
      const rename = (source: string, target: string): Promise<void> =>
        subject.fs().rename(at(`rename/kind/${source}`), at(`rename/kind/${target}`), { overwrite: true })
      await expectCode(rename('file', 'dir'), 'is-directory')
      await expectCode(rename('dir', 'file'), 'not-directory')
      await expectCode(rename('dir', 'full'), 'not-empty')
      await rename('full', 'dir')
      expect(await read('rename/kind/dir/x')).toBe('x')
    })

    test('reports a missing source, and a move into itself', async () => {
      await subject.fs().mkdirs(at('rename/self'))
      await expectCode(subject.fs().rename(at('rename/none'), at('rename/x')), 'not-found')
      await expectCode(subject.fs().rename(at('rename/self'), at('rename/self/inner')), 'bad-path')
      await expectCode(subject.fs().rename(at('rename/self'), at('rename/self')), 'exists')
      await write('rename/file-parent', 'x')
      await write('rename/other', 'x')
      await expectCode(subject.fs().rename(at('rename/other'), at('rename/file-parent/x')), 'not-directory')
    })
  })

  describe(`${name}: delete`, () => {
    test('says whether there was something', async () => {
      await write('delete/file', 'x')
      await subject.fs().mkdirs(at('delete/empty'))
      expect(await subject.fs().delete(at('delete/file'))).toBe(true)
      expect(await subject.fs().delete(at('delete/file'))).toBe(false)
      expect(await subject.fs().delete(at('delete/empty'))).toBe(true)
      expect(await subject.fs().delete(at('delete/none/deeper'))).toBe(false)
    })

    test('keeps a directory that is not empty, unless recursive', async () => {
      await write('delete/tree/a/b', 'x')
      await expectCode(subject.fs().delete(at('delete/tree')), 'not-empty')
      expect(await read('delete/tree/a/b')).toBe('x')
      expect(await subject.fs().delete(at('delete/tree'), { recursive: true })).toBe(true)
      await expectCode(status('delete/tree'), 'not-found')
    })

    test('never deletes the root', async () => {
      await expectCode(subject.fs().delete('/', { recursive: true }), 'bad-path')
      expect((await subject.fs().getFileStatus('/')).isDirectory).toBe(true)
    })
  })

  describeVerbs(name, subject)
  describePublish(name, subject)

  test(`${name}: probe answers, and the URL holds no secret`, async () => {
    await subject.fs().probe()
    expect(subject.fs().url).toMatch(/^[a-z]+:\/\//)
    expect(subject.fs().url).not.toMatch(/token|delegation|@/)
  })
}
