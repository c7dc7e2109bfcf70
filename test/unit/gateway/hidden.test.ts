import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FileSystem, FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import { chunksOf } from '../../suites/filesystem.ts'
import { at, createTestGateway, type TestGateway } from '../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

/** What reads of a directory leave out: what is hidden, what vanishes, what has no bytes. */
let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const setUp = async (fileSystem: FileSystem) => {
  gateway = await createTestGateway({ fileSystem })
}

const create = async (files: Readonly<Record<string, string>>) => {
  const fs = createMemoryFileSystem()
  for (const [path, text] of Object.entries(files)) await fs.create(path, chunksOf(text))
  return fs
}

const get = async (route: string, path: string, more = '', accept = '*/*') => {
  const response = await gateway?.call(at(route, path, more), { headers: { accept } })
  return { status: response?.status, bytes: Buffer.from((await response?.arrayBuffer()) ?? new ArrayBuffer()) }
}
const text = async (...request: Parameters<typeof get>) => String((await get(...request)).bytes)

const rows = async (path: string, more = '') => {
  const { entries } = JSON.parse(await text('/json', path, more)) as {
    entries: { path: string; content: unknown[]; error?: string }[]
  }
  return Object.fromEntries(entries.map(({ path: name, content, error }) => [name, error ?? content.length]))
}

const archive = async (path: string) => {
  const { status, bytes: input } = await get('/binary', path, '&recursive=true', 'application/x-tar')
  expect(status).toBe(200)
  const names = execFileSync('tar', ['--list', '--file=-'], { input, encoding: 'utf8' })
  const all = execFileSync('tar', ['--extract', '--to-stdout', '--file=-'], { input, encoding: 'utf8' })
  return { names: names.trim().split('\n'), all }
}

describe('names that begin with _ or .', () => {
  const files = {
    '/events/A/1': 'a1\n',
    '/events/A/_SUCCESS': 'no\n',
    '/events/A/.x/2': 'no\n',
    '/events/_tmp/id/3': 'tmp\n',
    '/events/_tmp/id/_4': 'no\n',
  }

  test('are hidden from reads of what is above them, with all below; listings show them', async () => {
    await setUp(await create(files))
    expect(await text('/text', '/events', '&recursive=true')).toBe('a1\r\n')
    expect(await text('/hdfs', '/events', '&recursive=true&raw=false')).toBe('a1\r\n')
    expect(await text('/binary', '/events', '&recursive=true')).toBe('a1\n')
    expect(await archive('/events')).toEqual({ names: ['events/A/', 'events/A/1'], all: 'a1\n' })
    const page = await text('/hdfs', '/events', '&recursive=true', 'text/html')
    expect(page).toContain('a1')
    expect(page).not.toContain('tmp/id')
    const listed = {
      '/events/A/.x/2': 0,
      '/events/A/.x': 0,
      '/events/A/_SUCCESS': 0,
      '/events/A': 0,
      '/events/_tmp/id/3': 0,
      '/events/_tmp/id/_4': 0,
      '/events/_tmp/id': 0,
      '/events/_tmp': 0,
    }
    expect(await rows('/events', '&recursive=true')).toEqual({ ...listed, '/events/A/1': 1 })
    expect(await rows('/events', '&recursive=true&content=false')).toEqual({ ...listed, '/events/A/1': 0 })
  })

  test('can be read themselves', async () => {
    await setUp(await create(files))
    expect(await text('/text', '/events/_tmp', '&recursive=true')).toBe('tmp\r\n')
    expect(await text('/binary', '/events/_tmp', '&recursive=true')).toBe('tmp\n')
    expect(await text('/text', '/events/_tmp/id/_4')).toBe('no\r\n')
    expect(await archive('/events/_tmp')).toEqual({ names: ['_tmp/id/', '_tmp/id/3'], all: 'tmp\n' })
    expect(await rows('/events/_tmp', '&recursive=true')).toMatchObject({ '/events/_tmp/id/3': 1 })
    expect(await text('/hdfs', '/events/_tmp', '&recursive=true', 'text/html')).toContain('tmp')
  })
})

describe('a file that vanishes after it was listed', () => {
  const gone = (path: string) => new FileSystemError('not-found', path, `Cannot open "${path}": it does not exist`)
  /** `later`: only the first byte shows it. */
  const vanishing = async (later: boolean): Promise<FileSystem> => {
    const memory = await create({ '/d/1': 'one\n', '/d/2': 'two\n', '/d/s/3': 'three\n', '/d/t/4': 'four\n' })
    return {
      ...memory,
      open: async (path, options) => {
        if (path !== '/d/1' && path !== '/d/s/3') return memory.open(path, options)
        if (!later) throw gone(path)
        return new ReadableStream({ pull: controller => controller.error(gone(path)) }, { highWaterMark: 0 })
      },
      async *listStatus(path, options) {
        if (path === '/d/t') throw gone(path)
        yield* memory.listStatus(path, options)
      },
    }
  }

  test.each([false, true])('is an error in its entry, or left out, and never the status; later: %s', async later => {
    await setUp(await vanishing(later))
    expect(await rows('/d', '&recursive=true')).toEqual({
      '/d/1': expect.stringContaining('does not exist'),
      '/d/2': 1,
      '/d/s/3': expect.stringContaining('does not exist'),
      '/d/s': 0,
      '/d/t': expect.stringContaining('does not exist'),
    })
    expect(await get('/text', '/d', '&recursive=true')).toEqual({ status: 200, bytes: Buffer.from('two\r\n') })
    expect(await get('/binary', '/d', '&recursive=true')).toEqual({ status: 200, bytes: Buffer.from('two\n') })
    const { names, all } = await archive('/d')
    expect(names).toEqual(['d/2', 'd/s/', 'd/t/', 'd/_LEFT_OUT.txt'])
    expect(all.split('\n')).toEqual([
      'two',
      expect.stringMatching(/^"\/d\/1": .*not exist/),
      expect.stringMatching(/^"\/d\/s\/3": .*not exist/),
      expect.stringMatching(/^"\/d\/t": .*not exist/),
      '',
    ])
  })

  test('by itself is a 404', async () => {
    await setUp(await vanishing(false))
    for (const route of ['/json', '/text', '/binary']) expect((await get(route, '/d/1')).status).toBe(404)
  })

  test('an upstream that breaks is not taken for it', async () => {
    const memory = await create({ '/d/1': 'one\n', '/d/2': 'two\n' })
    const away = (path: string) => new FileSystemError('unavailable', path, 'away')
    await setUp({
      ...memory,
      open: async (path, options) => {
        if (path === '/d/1') throw away(path)
        return memory.open(path, options)
      },
    })
    expect((await get('/text', '/d')).status).toBe(503)
    expect((await get('/binary', '/d', '&recursive=true')).status).toBe(503)
    expect((await get('/binary', '/d', '&recursive=true', 'application/x-tar')).status).toBe(503)
  })
})

describe.skipIf(process.platform === 'win32')('a named pipe in a local tree', () => {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sluice-pipe-'))
    for (const [name, content] of [
      ['d/1', 'one\n'],
      ['d/3', 'three\n'],
    ] as const) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), content)
    }
    execFileSync('mkfifo', [join(root, 'd/2')])
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  test('is in listings, is left out of reads, and named', async () => {
    await setUp(await createLocalFileSystem({ root }))
    expect(await rows('/d', '&content=false')).toEqual({ '/d/1': 0, '/d/2': 0, '/d/3': 0 })
    expect(await rows('/d')).toEqual({ '/d/1': 1, '/d/2': expect.stringContaining('not a regular file'), '/d/3': 1 })
    expect(await text('/text', '/d')).toBe('one\r\nthree\r\n')
    expect(await text('/binary', '/d', '&recursive=true')).toBe('one\nthree\n')
    const { names, all } = await archive('/d')
    expect(names).toEqual(['d/1', 'd/3', 'd/_LEFT_OUT.txt'])
    expect(all).toMatch(/^one\nthree\n"\/d\/2": .*not a regular file\n$/)
  })

  test('read by itself is a clear error, never a wait', async () => {
    await setUp(await createLocalFileSystem({ root }))
    for (const route of ['/json', '/text', '/binary', '/hdfs']) {
      const { status, bytes } = await get(route, '/d/2')
      expect({ route, status, isNamed: String(bytes).includes('not a regular file') }).toEqual({
        route,
        status: 403,
        isNamed: true,
      })
    }
  })
})
