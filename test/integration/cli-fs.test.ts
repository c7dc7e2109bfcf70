/** `sluice fs …` as a process beside a server with the embedded file system, whose directory is looked into from here. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanUp, createDirectory, start } from './process/child.ts'

const bin = resolve('bin/sluice.js')
let root = ''
let env: Record<string, string> = {}

beforeAll(async () => {
  const cwd = createDirectory()
  const settings = ['services=gateway', 'data.dir=data']
  const server = start(process.execPath, [bin, 'serve', ...settings.flatMap(one => ['--set', one])], { cwd })
  const ready = await server.logged('sluice is ready')
  root = join(cwd, 'data/fs')
  env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', SLUICE_SERVER_URL: String(ready['server']) }
})
afterAll(cleanUp)

type Result = { readonly code: number; readonly stdout: string; readonly stderr: string }

const fs = (...words: readonly string[]): Promise<Result> =>
  new Promise(done => {
    execFile(process.execPath, [bin, 'fs', ...words], { env }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number((error as { code?: unknown }).code), stdout, stderr })
    }).stdin?.end()
  })

const json = async (...words: readonly string[]) => {
  const { code, stdout } = await fs(...words, '--json')
  return { code, data: JSON.parse(stdout) }
}

/** Makes files of the file system, with the directories above them. */
const files = (contents: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

const lines = (text: string): string[] => text.trimEnd().split('\n')

/** Names that something on the way might take for more than a name. */
const hostile = [
  'a b',
  '100%',
  '%41',
  'x;y',
  'ü日本',
  'q"\'`$(id)',
  '*',
  '-n',
  'new\nline',
  '#?&',
  'back\\slash',
  '...',
]

describe('fs mkdir', () => {
  test('one level, unless told to make those above', async () => {
    expect(await fs('mkdir', '/mk')).toMatchObject({ code: 0, stdout: '✓ /mk\n' })
    expect(await json('mkdir', '/mk')).toMatchObject({ code: 1, data: { error: { code: 'exists' } } })
    expect(await json('mkdir', '/mk/a/b')).toMatchObject({ code: 1, data: { error: { code: 'not-found' } } })
    expect(existsSync(join(root, 'mk/a'))).toBe(false)
    expect(await json('mkdir', '-p', '/mk/a/b', '/mk')).toMatchObject({ code: 0, data: { paths: ['/mk/a/b', '/mk'] } })
  })

  test('of several, one that fails does not keep the others from being made', async () => {
    files({ 'mk2/file': '' })
    const { code, stdout, stderr } = await fs('mkdir', '-p', '/mk2/file', '/mk2/dir', 'relative')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '✓ /mk2/dir\n' })
    expect(stderr).toMatch(/✗ \/mk2\/file exists\n✗ .*"relative".*\n✗ 2 paths failed\n/)
  })

  test('a path that leaves the root asks the server for nothing', async () => {
    expect(await json('mkdir', '/../../rest')).toMatchObject({ code: 2, data: { error: { code: 'usage' } } })
  })
})

describe('fs mv', () => {
  test('to a new name, and into a directory', async () => {
    files({ 'mv/a': 'A', 'mv/b': 'B', 'mv/dir/x': '' })
    expect(await json('mv', '/mv/a', '/mv/c')).toMatchObject({ data: { moved: [{ from: '/mv/a', to: '/mv/c' }] } })
    expect((await fs('mv', '/mv/b', '/mv/c', '/mv/dir/')).stdout).toBe('✓ /mv/b → /mv/dir/b\n✓ /mv/c → /mv/dir/c\n')
    expect(readdirSync(join(root, 'mv/dir')).sort()).toEqual(['b', 'c', 'x'])
  })

  test('replaces nothing, unless told, and makes no directory', async () => {
    files({ 'mv2/a': 'A', 'mv2/b': 'B' })
    expect(await json('mv', '/mv2/a', '/mv2/b')).toMatchObject({ code: 1, data: { error: { code: 'exists' } } })
    expect(readFileSync(join(root, 'mv2/b'), 'utf8')).toBe('B')
    expect(await json('mv', '/mv2/a', '/mv2/b', '--overwrite')).toMatchObject({ code: 0 })
    expect(readFileSync(join(root, 'mv2/b'), 'utf8')).toBe('A')
    expect(await json('mv', '/mv2/b', '/mv2/no/b')).toMatchObject({ code: 1, data: { error: { code: 'not-found' } } })
    for (const words of [
      ['/mv2/b', '/mv2/no/'],
      ['/mv2/b', '/mv2/c', '/mv2/b'],
    ])
      expect(await json('mv', ...words)).toMatchObject({ code: 1, data: { error: { code: 'not-directory' } } })
    expect(await json('mv', '/mv2', '/mv2/sub')).toMatchObject({ code: 1 })
    expect(readdirSync(join(root, 'mv2'))).toEqual(['b'])
  })

  test('names are names', async () => {
    files(Object.fromEntries(hostile.map(name => [`mv3/${name}/f`, name])))
    const sources = hostile.map(name => `/mv3/${name}`)
    expect((await fs('mkdir', '/mv3/to')).code).toBe(0)
    expect(await fs('mv', ...sources, '/mv3/to')).toMatchObject({ code: 0, stderr: '' })
    for (const name of hostile) expect(readFileSync(join(root, 'mv3/to', name, 'f'), 'utf8')).toBe(name)
  })
})

describe('fs du', () => {
  test('each entry with all below it, or one line for each path', async () => {
    files({ 'du/a/1': 'x'.repeat(1_500), 'du/a/_hidden/2': 'xx', 'du/b': 'xyz' })
    const { data } = await json('du', '/du')
    expect(data).toEqual({
      entries: [
        { path: '/du/a', isDir: true, size: 1_502, stored: 1_502, files: 2 },
        { path: '/du/b', isDir: false, size: 3, stored: 3, files: 1 },
      ],
      errors: [],
    })
    expect(lines((await fs('du', '-s', '-h', '/du', '/du/b')).stdout)).toEqual([
      '  SIZE  STORED  FILES  PATH',
      '1.5 kB  1.5 kB      3  /du/',
      '   3 B     3 B      1  /du/b',
    ])
    expect((await fs('du', '--bytes', '/du')).stdout).toContain('1502')
  })

  test('one that is missing is named, and the others are counted', async () => {
    const { code, stdout, stderr } = await fs('du', '-s', '/du/nothing', '/du/b')
    expect([code, stderr]).toEqual([1, '✗ File does not exist: /du/nothing\n✗ 1 path failed\n'])
    expect(stdout).toContain('/du/b')
  })
})

describe('fs tail', () => {
  test('the last 1024 bytes, or so many lines', async () => {
    const text = Array.from({ length: 1_000 }, (_, i) => `line ${i}\n`).join('')
    files({ 'tail/log': text })
    expect((await fs('tail', '/tail/log')).stdout).toBe(text.slice(-1_024))
    expect((await fs('tail', '-n', '2', '/tail/log')).stdout).toBe('line 998\nline 999\n')
    expect(await fs('tail', '/tail')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('/tail is a directory'),
    })
    expect(await fs('tail', '/tail/no')).toMatchObject({ code: 1, stderr: expect.stringContaining('/tail/no') })
  })

  test('-f continues with what is added, until Ctrl-C', async () => {
    files({ 'tail/grows': 'one\n' })
    const child = spawn(process.execPath, [bin, 'fs', 'tail', '-f', '/tail/grows'], { env })
    const output = child.stdout.setEncoding('utf8')
    expect(await once(output, 'data')).toEqual(['one\n'])
    appendFileSync(join(root, 'tail/grows'), 'two\n')
    expect(await once(output, 'data')).toEqual(['two\n'])
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

describe('fs find', () => {
  test('by name, type and time, below one path or several', async () => {
    files({ 'find/a/x.csv': '', 'find/a/deep/y.json': '', 'find/b.csv/z.txt': '' })
    utimesSync(join(root, 'find/a/x.csv'), 1e9, 1e9)
    const find = async (...words: readonly string[]) => lines((await fs('find', ...words)).stdout).sort()
    expect(await find('/find/a')).toEqual(['/find/a', '/find/a/deep', '/find/a/deep/y.json', '/find/a/x.csv'])
    expect(await find('/find', '--name', '*.{csv,json}')).toEqual([
      '/find/a/deep/y.json',
      '/find/a/x.csv',
      '/find/b.csv',
    ])
    expect(await find('/find', '-name', '*.csv', '-type', 'd')).toEqual(['/find/b.csv'])
    expect(await find('/find/a', '/find/b.csv', '-iname', '?.TXT')).toEqual(['/find/b.csv/z.txt'])
    expect(await find('/find', '--type', 'f', '--older', '2002-01-01')).toEqual(['/find/a/x.csv'])
    expect(await find('/find', '--type', 'f', '--newer', '/find/a/x.csv')).toHaveLength(2)
    expect(await find('/find', '--type', 'f', '--newer', '1h', '--name', '*.txt')).toEqual(['/find/b.csv/z.txt'])
    expect(await json('find', '/find/a', '--type', 'f', '--name', 'y*')).toMatchObject({
      data: { entries: [{ path: '/find/a/deep/y.json', size: 0, isDir: false }], errors: [] },
    })
  })

  test('below all paths that match a pattern; one that nothing matches is an error', async () => {
    files({ 'find2/a1/x.csv': '', 'find2/a2/y.txt': '', 'find2/b/z.csv': '', 'find2/b[1]/w.csv': '' })
    const { stdout } = await fs('find', '/find2/{a*,b}', '--name', '*.csv')
    expect(lines(stdout)).toEqual(['/find2/a1/x.csv', '/find2/b/z.csv'])
    expect(lines((await fs('find', '/find2/b[1]', '--type', 'f')).stdout)).toEqual(['/find2/b[1]/w.csv'])
    expect(await json('find', '/find2/none*')).toMatchObject({ code: 1, data: { error: { code: 'not-found' } } })
  })

  test('a path that is missing is named; the others are looked through', async () => {
    const { code, stdout, stderr } = await fs('find', '/find/none', '/find/b.csv')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '/find/b.csv/z.txt\n/find/b.csv\n' })
    expect(stderr).toBe('✗ File does not exist: /find/none\n✗ 1 path failed\n')
    expect(await json('find', '/', '--name', '[a')).toMatchObject({ code: 2, data: { error: { code: 'usage' } } })
  })

  test('any name comes as it is', async () => {
    files(Object.fromEntries(hostile.map(name => [`find3/${name}`, ''])))
    const { stdout } = await fs('find', '/find3', '--type', 'f', '--print0')
    expect(stdout.split('\0').slice(0, -1).sort()).toEqual(hostile.map(name => `/find3/${name}`).sort())
  })
})

/** Files below a directory with their texts, and empty directories. */
const contentsOf = (directory: string): Record<string, string> =>
  Object.fromEntries(
    globSync('**/*', { cwd: directory, withFileTypes: true })
      .filter(entry => entry.isFile() || readdirSync(join(entry.parentPath, entry.name)).length === 0)
      .map(entry => join(entry.parentPath, entry.name))
      .map(path => [path.slice(directory.length + 1), isFile(path) ? readFileSync(path, 'utf8') : '(empty)'])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  )

const isFile = (path: string): boolean => {
  try {
    readdirSync(path)
    return false
  } catch {
    return true
  }
}

describe('fs get -R and put -R', () => {
  const tree = Object.fromEntries([
    ...hostile.map((name, i) => [`tree/${name}/${name}`, `${name} ${'x'.repeat(i * 1_000)}`]),
    ...Array.from({ length: 40 }, (_, i) => [`tree/many/${i}`, String(i)]),
    ['tree/_hidden/.dot', 'hidden'],
    ['tree/none', ''],
  ])

  test('there and back, every name and byte', async () => {
    files(tree)
    mkdirSync(join(root, 'tree/empty'))
    const here = createDirectory()
    const { code, data } = await json('get', '-R', '/tree', here)
    expect({ code, data }).toMatchObject({ code: 0, data: { copied: [{ files: hostile.length + 42 }], errors: [] } })
    expect(contentsOf(join(here, 'tree'))).toEqual(contentsOf(join(root, 'tree')))
    expect(await fs('put', '-R', join(here, 'tree'), '/back/again')).toMatchObject({ code: 0, stderr: '' })
    expect(contentsOf(join(root, 'back/again/tree'))).toEqual(contentsOf(join(root, 'tree')))
  })

  test('called again it takes what is missing; what is there is named, skipped or replaced', async () => {
    files({ 'again/a': 'A', 'again/b': 'B', 'again/c': 'C' })
    const here = createDirectory()
    mkdirSync(join(here, 'again'))
    writeFileSync(join(here, 'again/a'), 'A')
    writeFileSync(join(here, 'again/b'), 'other')
    const { code, stdout, stderr } = await fs('get', '-R', '/again', here)
    expect([code, stdout]).toEqual([1, '✓ /again  1 file  1 B\n'])
    expect(lines(stderr).sort()).toEqual([
      `✗ ${join(here, 'again/a')} exists`,
      `✗ ${join(here, 'again/b')} exists`,
      '✗ 2 paths failed',
    ])
    expect(await json('get', '-R', '/again', here, '--skip-existing')).toMatchObject({
      code: 1,
      data: { copied: [{ files: 0, skipped: 2 }], errors: [{ path: '/again/b', code: 'exists' }] },
    })
    expect((await fs('get', '-R', '/again', here, '--skip-existing', '--overwrite')).stdout).toBe(
      '✓ /again  1 file  1 B  (2 files there already)\n',
    )
    expect(contentsOf(join(here, 'again'))).toEqual({ a: 'A', b: 'B', c: 'C' })
    writeFileSync(join(here, 'again/b'), 'longer')
    expect(await json('put', '-R', join(here, 'again'), '/', '--skip-existing')).toMatchObject({
      code: 1,
      data: { copied: [{ files: 0, skipped: 2 }], errors: [{ code: 'exists' }] },
    })
  })

  test('links lead nowhere, here or from here', async () => {
    files({ 'links/sub/f': 'remote' })
    const [here, outside] = [createDirectory(), createDirectory()]
    mkdirSync(join(here, 'links'))
    symlinkSync(outside, join(here, 'links/sub'))
    expect((await fs('get', '-R', '/links', here)).code).toBe(1)
    expect(readdirSync(outside)).toEqual([])
    writeFileSync(join(outside, 'secret'), 's')
    symlinkSync(join(outside, 'secret'), join(here, 'links/secret'))
    writeFileSync(join(here, 'links/own'), 'own')
    const { code, stderr } = await fs('put', '-R', join(here, 'links'), '/links-up')
    expect([code, lines(stderr).length]).toEqual([1, 3])
    expect(contentsOf(join(root, 'links-up'))).toEqual({ 'links/own': 'own' })
  })

  test('a directory needs -R; several files go into a directory', async () => {
    files({ 'several/a': 'A', 'several/b': 'B' })
    const here = createDirectory()
    expect(await fs('get', '/several', here)).toMatchObject({ code: 1, stderr: expect.stringContaining('Add -R') })
    expect(await fs('put', here, '/several')).toMatchObject({ code: 1, stderr: expect.stringContaining('Add -R') })
    expect(await fs('get', '/several/a', '/several/b', join(here, 'none'))).toMatchObject({ code: 2 })
    expect(await json('get', '/several/a', '/several/no', '/several/b', here)).toMatchObject({
      code: 1,
      data: { errors: [{ path: '/several/no', code: 'not-found' }] },
    })
    expect(contentsOf(here)).toEqual({ a: 'A', b: 'B' })
    mkdirSync(join(root, 'several/to'))
    expect(await fs('put', join(here, 'a'), '/several/to')).toMatchObject({ stdout: '✓ /several/to/a  1 B\n' })
    expect((await fs('put', join(here, 'a'), join(here, 'b'), '/several/to', '--overwrite')).code).toBe(0)
    expect(contentsOf(join(root, 'several/to'))).toEqual({ a: 'A', b: 'B' })
  })
})

describe('patterns', () => {
  beforeAll(() =>
    files({
      'glob/a/2026-10-01': '1\n',
      'glob/a/2026-11-02': '2\n',
      'glob/b/2026-11-03': '3\n',
      'glob/b/deep/x': '4\n',
      'glob/.c/2026-11-04': '5\n',
    }),
  )
  const list = async (...words: readonly string[]) =>
    (await json('ls', '-d', ...words)).data.entries.map(({ path }: { path: string }) => path.slice(6))

  test.each([
    ['/glob/*/2026-11-*', ['.c/2026-11-04', 'a/2026-11-02', 'b/2026-11-03']],
    ['/glob/[ab]/2026-1?-*', ['a/2026-10-01', 'a/2026-11-02', 'b/2026-11-03']],
    ['/glob/[^a]/*', ['b/2026-11-03', 'b/deep']],
    ['/glob/{a/2026-10-01,b/deep/x}', ['a/2026-10-01', 'b/deep/x']],
    ['/glob/{a/*,*/2026-10-*}', ['a/2026-10-01', 'a/2026-11-02']],
    ['/glob/*/deep', ['b/deep']],
    ['/g*b/?', ['a', 'b']],
  ])('%s', async (pattern, want) => expect((await list(pattern)).sort()).toEqual(want))

  test('ls, cat, du, rows and get take them; nothing that matches is an error', async () => {
    expect(lines((await fs('ls', '/glob/[ab]')).stdout)).toHaveLength(5)
    expect((await fs('cat', '/glob/*/2026-11-*', '/glob/b/deep/x')).stdout).toBe('5\n2\n3\n4\n')
    expect((await json('du', '-s', '/glob/[ab]')).data.entries).toMatchObject([{ files: 2 }, { files: 2 }])
    expect((await json('rows', '/glob/[ab]/2026-*')).data.rows).toHaveLength(3)
    const here = createDirectory()
    expect((await fs('get', '/glob/b/*-03', here)).code).toBe(0)
    expect((await fs('get', '-R', '/glob/[b]', here)).code).toBe(0)
    expect(contentsOf(here)).toEqual({ '2026-11-03': '3\n', 'b/2026-11-03': '3\n', 'b/deep/x': '4\n' })
    for (const verb of ['ls', 'cat', 'du', 'rows', 'get'])
      expect(await fs(verb, '/glob/*/nothing')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Nothing matches /glob/*/nothing'),
      })
  })

  test('rm deletes what matches, and an existing name is not a pattern', async () => {
    files({ 'globrm/a.tmp': '', 'globrm/b.tmp': '', 'globrm/c': '', 'globrm/*': '', 'globrm/[d]': '' })
    expect(await json('rm', '/globrm/*', '/globrm/[d]', '--yes')).toMatchObject({
      data: { paths: ['/globrm/*', '/globrm/[d]'], errors: [] },
    })
    expect(await json('rm', '/globrm/*.tmp', '--yes')).toMatchObject({ code: 0 })
    expect(readdirSync(join(root, 'globrm'))).toEqual(['c'])
  })
})

describe('fs rows', () => {
  test('U12: an unreadable file is exit 1, more rows are told, and a directory says -R', async () => {
    files({ 'rows/bad/x.parquet': 'PAR1 no', 'rows/long.txt': 'x\n'.repeat(51), 'rows/just.txt': 'x\n'.repeat(50) })
    expect(await fs('rows', '/rows/bad')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('/rows/bad/x.parquet'),
    })
    expect(await json('rows', '/rows/bad')).toMatchObject({
      code: 1,
      data: { errors: [{ path: '/rows/bad/x.parquet', error: expect.any(String) }] },
    })
    const long = await fs('rows', '/rows/long.txt')
    expect([lines(long.stdout).length, long.stderr]).toEqual([51, expect.stringContaining('the first 50 rows')])
    expect(await fs('rows', '/rows/just.txt')).toMatchObject({ code: 0, stderr: '' })
    mkdirSync(join(root, 'only/sub'), { recursive: true })
    expect((await fs('rows', '/only')).stderr).toContain('add -R')
  })
})
