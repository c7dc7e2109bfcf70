import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { hadoopOf } from '../../../src/filesystem/facets.ts'
import {
  type FileStatus,
  type FileSystem,
  FileSystemError,
  type OpenOptions,
} from '../../../src/filesystem/filesystem.ts'
import { type AheadMemory, createAheadMemory, openAhead } from '../../../src/gateway/open-ahead.ts'
import type { WalkEntry } from '../../../src/gateway/walk.ts'
import { createWebCall } from '../../../src/http/call/web-call.ts'
import { at, createTestGateway, type TestGateway } from '../../suites/gateway.ts'
import { createMemoryFileSystem, type MemoryFault } from '../../suites/memory-filesystem.ts'
import { createTestReads } from '../../suites/reads.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
}

type Opened = { readonly path: string; readonly options: OpenOptions }

/** Records which files are opened, in which order, and which of them are not yet read to their ends or closed. */
const watchOpens = (fileSystem: FileSystem, slowness: (path: string) => number = () => 3) => {
  const opened: Opened[] = []
  const events: string[] = []
  const unread = new Set<Opened>()
  let most = 0
  const watched: FileSystem = {
    ...fileSystem,
    open: async (path, options = {}) => {
      const one = { path, options }
      opened.push(one)
      events.push(`open ${path}`)
      unread.add(one)
      most = Math.max(most, unread.size)
      const end = (): void => {
        if (unread.delete(one)) events.push(`end ${path}`)
      }
      options.signal?.addEventListener('abort', end)
      try {
        await turns(slowness(path))
        const reader = (await fileSystem.open(path, options)).getReader()
        return new ReadableStream<Uint8Array>(
          {
            async pull(controller) {
              try {
                const { done, value } = await reader.read()
                if (!done) return controller.enqueue(value)
                end()
                controller.close()
              } catch (error) {
                end()
                throw error
              }
            },
            async cancel() {
              end()
              await reader.cancel()
            },
          },
          { highWaterMark: 0 },
        )
      } catch (error) {
        end()
        throw error
      }
    },
  }
  return {
    watched,
    events,
    unread,
    paths: () => opened.map(({ path }) => path),
    opened,
    most: () => most,
  }
}

const nameOf = (index: number): string => `/d/${String(index).padStart(3, '0')}`

const write = (fileSystem: FileSystem, path: string, bytes: Uint8Array): Promise<void> =>
  hadoopOf(fileSystem).create(
    path,
    (async function* () {
      yield bytes
    })(),
  )

const setUp = async (
  files: number,
  { toText = (index: number) => `row ${index}\n`, ...options }: Faults & { toText?: (index: number) => string } = {},
) => {
  const memory = createMemoryFileSystem(options)
  for (let index = 0; index < files; index++) await write(memory, nameOf(index), Buffer.from(toText(index)))
  const watch = watchOpens(memory)
  gateway = await createTestGateway({ fileSystem: watch.watched })
  return { ...watch, call: gateway.call }
}

type Faults = { readonly fail?: (operation: string, path: string) => MemoryFault | undefined }

const allNames = (files: number): string[] => Array.from({ length: files }, (_, index) => nameOf(index))

const targets = [
  ['rows as JSON', at('/json', '/d'), {}],
  ['rows as CSV', at('/text', '/d'), {}],
  ['bytes', at('/binary', '/d', '&recursive=true'), {}],
  ['an archive', at('/binary', '/d', '&recursive=true'), { headers: { accept: 'application/x-tar' } }],
] as const

describe.each(targets)('%s of a directory of many files', (_, target, init) => {
  test('are opened ahead, in their order and some at once, behind the first that is read alone', async () => {
    const { call, events, paths, most, unread } = await setUp(100)
    const response = await call(target, init)
    expect((await response.text()).match(/row \d+/g)).toEqual(Array.from({ length: 100 }, (_, index) => `row ${index}`))
    expect(paths()).toEqual(allNames(100))
    expect(events.slice(0, 2)).toEqual([`open ${nameOf(0)}`, `end ${nameOf(0)}`])
    expect(most()).toBe(16)
    expect(unread.size).toBe(0)
  })

  test('no more are opened in vain than were read, and none is left open when the client leaves', async () => {
    const { call, paths, unread } = await setUp(200, { toText: index => `${String(index).padStart(1_023, ' ')}\n` })
    const response = await call(target, init)
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    // A row of a kilobyte each, at least one of them.
    const read = Math.max(1, Math.floor((value?.length ?? 0) / 1_024))
    await turns(20)
    await reader?.cancel()
    await turns(20)
    expect(paths().length).toBeLessThanOrEqual(2 * read + 16)
    expect(unread.size).toBe(0)
  })

  test('empty ones are not opened at all; one that is asked for by its own name is', async () => {
    const { call, paths } = await setUp(20, { toText: index => (index % 2 === 0 ? '' : `row ${index}\n`) })
    await (await call(target, init)).bytes()
    expect(paths()).toEqual(allNames(20).filter((_, index) => index % 2 === 1))
    await (await call(target.replace('%2Fd', encodeURIComponent(nameOf(0))), init)).bytes()
    expect(paths().at(-1)).toBe(nameOf(0))
  })

  test('a file that breaks ends the answer in its place, and none is left open', async () => {
    const fail = (operation: string, path: string) => (operation === 'open' && path === nameOf(7) ? 'torn' : undefined)
    const { call, unread } = await setUp(40, {
      fail,
      toText: index => `row ${index}\n`.repeat(index === 7 ? 30_000 : 1),
    })
    const response = await call(target, init)
    let text = ''
    const read = async (): Promise<void> => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString('latin1')
    }
    await expect(read()).rejects.toThrow('lost')
    expect(text).not.toContain('row 8')
    await turns(20)
    expect(unread.size).toBe(0)
  })
})

describe('rows that are wanted', () => {
  test.each([
    ['0-1', 1],
    ['0-2', 2],
    ['0-5', 3],
    ['4-5', 3],
    ['0-19', 10],
  ])('%s of two in each file open %i', async (range, files) => {
    for (const route of ['/json', '/text']) {
      const { call, paths, unread } = await setUp(40, { toText: index => `${index} a\n${index} b\n` })
      await (await call(at(route, '/d', `&range=${range}`))).text()
      expect(paths()).toEqual(allNames(files))
      expect(unread.size).toBe(0)
      await gateway?.close()
    }
  })

  test('nothing is opened behind the last entry, and nothing of a directory without its content', async () => {
    const { call, paths } = await setUp(40)
    await (await call(at('/json', '/d', '&limit=5&startAfter=003'))).text()
    expect(paths()).toEqual(allNames(9).slice(4))
    await (await call(at('/json', '/d', '&content=false'))).text()
    expect(paths()).toHaveLength(5)
  })

  test('a page that has enough closes what was opened for it in vain', async () => {
    // Fewer rows in each file than in the first ones: more files than it takes seem to be wanted.
    const { call, paths, unread } = await setUp(60, { toText: index => (index < 10 ? 'a\n' : 'a\n'.repeat(500)) })
    await (await call(at('/json', '/d', '&range=0-100'))).text()
    expect(paths().length).toBeGreaterThan(11)
    await turns(20)
    expect(unread.size).toBe(0)
  })
})

test('a file that breaks behind the last row that is wanted does not break the answer', async () => {
  const fail = (operation: string, path: string) => (operation === 'open' && path === nameOf(2) ? 'torn' : undefined)
  const memory = createMemoryFileSystem({ fail })
  for (const [index, lines] of [1, 1, 50_000].entries()) {
    await write(memory, nameOf(index), Buffer.from('row\n'.repeat(lines)))
  }
  // All of the first run, and its failure, is there before its turn.
  const { watched } = watchOpens(memory, path => (path === nameOf(1) ? 50 : 0))
  gateway = await createTestGateway({ fileSystem: watched })
  expect(await (await gateway.call(at('/text', '/d', '&range=0-2'))).text()).toBe('row\r\n'.repeat(3))
})

describe('what is read ahead', () => {
  test('of a large file is what its reader asks for first, and no large file as a whole', async () => {
    const line = `${'x'.repeat(1_023)}\n`
    const { call, opened, events } = await setUp(6, { toText: index => (index === 4 ? line.repeat(300) : 'a\n') })
    await (await call(at('/text', '/d'))).text()
    expect(
      opened.filter(({ path }) => path === nameOf(4)).map(({ options }) => [options.offset, options.length]),
    ).toEqual([
      [0, 262_144],
      [262_144, undefined],
    ])
    expect(events.indexOf(`open ${nameOf(4)}`)).toBeLessThan(events.indexOf(`end ${nameOf(3)}`))
    events.length = 0
    await (await call(at('/binary', '/d', '&recursive=true'))).text()
    // The next one is read along with it, not before.
    expect(events.indexOf(`open ${nameOf(4)}`)).toBeGreaterThan(events.indexOf(`end ${nameOf(3)}`))
    expect(events.indexOf(`open ${nameOf(5)}`)).toBeLessThan(events.indexOf(`end ${nameOf(4)}`))
    expect(events.indexOf(`open ${nameOf(5)}`)).toBeGreaterThan(events.indexOf(`end ${nameOf(3)}`))
  })

  test('of a file that has grown is not its whole', async () => {
    const memory = createMemoryFileSystem()
    for (let index = 0; index < 4; index++) await write(memory, nameOf(index), Buffer.from('a\n'))
    let sent = 0
    const gate = Promise.withResolvers<void>()
    const growing: FileSystem = {
      ...memory,
      open: async (path, options) => {
        if (path === nameOf(1)) await gate.promise
        if (path !== nameOf(2)) return memory.open(path, options)
        return new ReadableStream(
          {
            pull(controller) {
              if (sent++ < 50) controller.enqueue(Buffer.from(`${sent}\n`))
              else controller.close()
            },
          },
          { highWaterMark: 0 },
        )
      },
    }
    gateway = await createTestGateway({ fileSystem: growing })
    const answer = gateway.call(at('/text', '/d')).then(response => response.text())
    await turns(50)
    // What it was listed with, two bytes, and what arrived with the last of them.
    expect(sent).toBe(2)
    gate.resolve()
    expect((await answer).split('\n')).toHaveLength(3 + 50 + 1)
  })

  test('finds room in memory that all answers share, and gives it back', async () => {
    let left = 1_000_000
    let least = left
    const memory: AheadMemory = {
      take: bytes => {
        if (bytes > left) return false
        left -= bytes
        least = Math.min(least, left)
        return true
      },
      give: bytes => {
        left += bytes
      },
    }
    const files = createMemoryFileSystem()
    for (let index = 0; index < 50; index++) await write(files, nameOf(index), Buffer.alloc(100_000, 'abc\n'))
    const { watched, most } = watchOpens(files)
    const { readText } = createTestReads(watched, memory)
    const flags = { recursive: false, header: false, safe: false, raw: false }
    const call = createWebCall(new Request('http://localhost/x')).withOperation('x', { path: '/d', ...flags })
    const { body } = await readText(call, () => ({}))
    let bytes = 0
    for await (const chunk of body ?? []) bytes += chunk.length
    expect(bytes).toBe(50 * 25_000 * 'abc\r\n'.length)
    expect(least).toBeLessThan(200_000)
    // 8 of 100 kB, and the one that is read.
    expect(most()).toBeLessThanOrEqual(9)
    expect(left).toBe(1_000_000)
  })

  test('createAheadMemory is full when it is', () => {
    const memory = createAheadMemory(10)
    expect([memory.take(6), memory.take(5), memory.take(4)]).toEqual([true, false, true])
    memory.give(6)
    expect([memory.take(7), memory.take(6)]).toEqual([false, true])
  })
})

describe('openAhead', () => {
  const toEntry = (index: number): WalkEntry => ({
    status: {
      path: nameOf(index),
      isDirectory: false,
      length: 2,
      modificationTime: 0,
      owner: '',
      group: '',
      permission: 0,
      replication: 1,
      blockSize: 1,
    },
  })

  async function* walkOf(...parts: readonly (readonly WalkEntry[])[]) {
    yield* parts
  }

  const open = (parts: AsyncIterable<readonly WalkEntry[]>, fileSystem: FileSystem, more = {}) =>
    openAhead(parts, {
      fileSystem,
      root: { ...toEntry(0).status, isDirectory: true },
      memory: createAheadMemory(),
      toFirstRun: () => ({ offset: 0 }),
      signal: new AbortController().signal,
      ...more,
    })

  const fileSystemOf = async (files: number) => {
    const memory = createMemoryFileSystem()
    for (let index = 0; index < files; index++) await write(memory, nameOf(index), Buffer.from(`${index}\n`))
    return watchOpens(memory, () => 0)
  }

  test('opens no more in vain than were read', async () => {
    const { watched, paths } = await fileSystemOf(60)
    const parts = open(walkOf(allNames(60).map((_, index) => toEntry(index))), watched)
    for (let read = 0; read < 20; read++) {
      await parts.next()
      await turns(5)
      expect(paths().length).toBeLessThanOrEqual(2 * read)
    }
    await parts.return()
  })

  test('closes opened files that were not taken, when it is left, and gives its memory back', async () => {
    let taken = 0
    const memory: AheadMemory = {
      take: bytes => {
        taken += bytes
        return true
      },
      give: bytes => {
        taken -= bytes
      },
    }
    const gate = Promise.withResolvers<void>()
    let cancelled = 0
    let opened = 0
    const fileSystem: FileSystem = {
      ...createMemoryFileSystem(),
      open: async () => {
        opened += 1
        await gate.promise
        return new ReadableStream(
          {
            cancel: () => {
              cancelled += 1
            },
          },
          { highWaterMark: 0 },
        )
      },
    }
    const parts = open(walkOf(allNames(9).map((_, index) => toEntry(index))), fileSystem, { memory })
    for (let part = 0; part < 4; part++) await parts.next()
    expect(opened).toBeGreaterThan(4)
    await parts.return()
    expect(taken).toBe(0)
    gate.resolve()
    await turns(5)
    expect(cancelled).toBe(opened)
  })

  test('gives its first run to the first reader that asks for it, and passes on every other call', async () => {
    const { watched, opened } = await fileSystemOf(2)
    const parts = open(walkOf([toEntry(0), toEntry(1)]), watched)
    await parts.next()
    const second = (await parts.next()).value?.at(-1)?.fileSystem
    const read = async (path: string, options?: OpenOptions) =>
      await new Response(await second?.open(path, options)).text()
    expect(opened).toHaveLength(1)
    expect(await read(nameOf(1), { offset: 1 })).toBe('\n')
    expect(await read(nameOf(1), { length: 1 })).toBe('1')
    expect(await read(nameOf(0))).toBe('0\n')
    expect(opened).toHaveLength(4)
    expect(await read(nameOf(1))).toBe('1\n')
    expect(opened).toHaveLength(4)
    expect(await read(nameOf(1))).toBe('1\n')
    expect(opened).toHaveLength(5)
  })

  test('what is taken is read as it is wanted', async () => {
    let pulls = 0
    const endless = new ReadableStream<Uint8Array>(
      { pull: controller => controller.enqueue(Buffer.from(String(pulls++))) },
      { highWaterMark: 0 },
    )
    const gate = Promise.withResolvers<ReadableStream<Uint8Array>>()
    const fileSystem: FileSystem = { ...createMemoryFileSystem(), open: () => gate.promise }
    const large = { status: { ...toEntry(1).status, length: 1_000 } }
    const parts = open(walkOf([toEntry(0), large]), fileSystem)
    await parts.next()
    const second = (await parts.next()).value?.at(-1)?.fileSystem
    const stream = second?.open(nameOf(1))
    gate.resolve(endless)
    const reader = (await stream)?.getReader()
    await reader?.read()
    await turns(5)
    expect(pulls).toBeLessThanOrEqual(2)
    await reader?.cancel()
  })

  test('a failure of the walk comes in its turn', async () => {
    const { watched, unread } = await fileSystemOf(4)
    const seen: string[] = []
    const failing = async function* () {
      yield* [[toEntry(0)], [toEntry(1)], [toEntry(2)], [toEntry(3)]]
      throw new Error('the listing broke')
    }
    const all = async (): Promise<void> => {
      for await (const part of open(failing(), watched)) {
        await turns(5)
        seen.push(...part.map(entry => entry.status.path))
      }
    }
    await expect(all()).rejects.toThrow('the listing broke')
    expect(seen).toEqual(allNames(4))
    expect(unread.size).toBe(0)
  })

  test('does not look for files among entries without an end', async () => {
    const { watched } = await fileSystemOf(2)
    let asked = 0
    const endless = async function* () {
      yield [toEntry(0), toEntry(1)]
      for (;;) {
        asked += 1
        yield Array.from({ length: 100 }, (_, index) => toEntry(2 + index))
      }
    }
    const isFile = ({ path }: FileStatus) => (path <= nameOf(1) ? { offset: 0 } : undefined)
    const parts = open(endless(), watched, { toFirstRun: isFile })
    await parts.next()
    await parts.next()
    await turns(200)
    expect(asked).toBeLessThanOrEqual(11)
    await parts.return()
  })

  test('opens nothing any more once it is left', async () => {
    const { watched, paths, unread } = await fileSystemOf(4)
    const gate = Promise.withResolvers<void>()
    const slow = async function* () {
      yield [toEntry(0), toEntry(1)]
      await gate.promise
      yield [toEntry(2), toEntry(3)]
    }
    const parts = open(slow(), watched)
    await parts.next()
    await parts.next()
    await parts.return()
    gate.resolve()
    await turns(5)
    expect(paths()).toEqual([nameOf(1)])
    expect(unread.size).toBe(0)
  })

  test('an abort reaches what is being opened', async () => {
    const stop = new AbortController()
    let aborted = 0
    const fileSystem: FileSystem = {
      ...createMemoryFileSystem(),
      open: (_path, { signal } = {}) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            aborted += 1
            reject(new Error('aborted'))
          })
        }),
    }
    const parts = open(walkOf(allNames(8).map((_, index) => toEntry(index))), fileSystem, { signal: stop.signal })
    for (let part = 0; part < 4; part++) await parts.next()
    stop.abort()
    expect(aborted).toBeGreaterThan(2)
    await parts.return()
    await turns(5)
  })
})

describe('answers are those without it', () => {
  const text = (lines: number) => Buffer.from(Array.from({ length: lines }, (_, line) => `${line}\tx\n`).join(''))
  const kinds = {
    empty: Buffer.alloc(0),
    'one line': text(1),
    'five lines': text(5),
    json: Buffer.from('{"a":1}\n{"a":2,"b":"ü"}\n'),
    'json that is damaged behind its first row': Buffer.from('{"a":1}\n{"a":\n'),
    gzip: gzipSync('1\n2\n'),
    'damaged gzip': gzipSync('1\n2\n'.repeat(5_000)).subarray(0, 60),
    large: text(50_000),
  }
  const contents = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]))
  const suffix = fc.constantFrom('', '.json', '.txt', '.gz', '.csv')
  const fault = fc.option(fc.constantFrom('not-found', 'denied', 'unavailable', 'torn', undefined), { freq: 4 })
  const directory = fc.constantFrom('', 'a/', 'b/', 'b/c/', '_h/')
  const files = fc.array(fc.tuple(directory, suffix, contents, fault), { minLength: 1, maxLength: 14 })
  const params = fc.record({
    route: fc.constantFrom('readJson', 'readText', 'readTree', 'archive'),
    recursive: fc.boolean(),
    content: fc.boolean(),
    pretty: fc.boolean(),
    header: fc.boolean(),
    safe: fc.constant(false),
    limit: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    startAfter: fc.option(fc.constantFrom('05', 'a'), { nil: undefined }),
    range: fc.option(fc.constantFrom('0-0', '0-3', '2-6', '5-900', '0-60000'), { nil: undefined }),
  })

  type Wanted = typeof params extends fc.Arbitrary<infer T> ? T : never

  /** The status, the bytes, and how they end. */
  const answer = async (
    fileSystem: FileSystem,
    ahead: AheadMemory,
    { route, limit, startAfter, range, ...more }: Wanted,
  ) => {
    const reads = createTestReads(fileSystem, ahead)
    const headers = route === 'archive' ? { accept: 'application/x-tar' } : {}
    const optional = { ...(limit ? { limit } : {}), ...(startAfter ? { startAfter } : {}), ...(range ? { range } : {}) }
    const call = createWebCall(new Request('http://localhost/x', { headers })).withOperation('x', {
      path: '/d',
      raw: false,
      ...more,
      ...optional,
      ...(route === 'readTree' || route === 'archive' ? { recursive: true } : {}),
    })
    const chunks: Uint8Array[] = []
    try {
      const { body } = await reads[route === 'archive' ? 'readTree' : route](call, () => ({}))
      for await (const chunk of body ?? []) chunks.push(chunk)
    } catch (error) {
      const end = error instanceof Error ? `${error.name}: ${error.message}` : error
      return { end, bytes: Buffer.concat(chunks).toString() }
    }
    return { end: 'end', bytes: Buffer.concat(chunks).toString() }
  }

  test('whatever the files, their faults and what is asked for; and nothing is left open', async () => {
    await fc.assert(
      fc.asyncProperty(files, params, fc.array(fc.nat({ max: 4 }), { minLength: 1 }), async (all, wanted, slow) => {
        const faults = new Map<string, MemoryFault>()
        const fail = (operation: string, path: string) => (operation === 'open' ? faults.get(path) : undefined)
        const memory = createMemoryFileSystem({ fail, now: () => 0 })
        for (const [index, [place, end, kind, wrong]] of all.entries()) {
          const path = `/d/${place}${String(index).padStart(2, '0')}${end}`
          await write(memory, path, kinds[kind])
          if (wrong === 'torn') faults.set(path, wrong)
          else if (wrong) faults.set(path, new FileSystemError(wrong, path, `Cannot open "${path}": ${wrong}`))
        }
        let index = 0
        const { watched, unread } = watchOpens(memory, () => slow[index++ % slow.length] ?? 0)
        const want = await answer(memory, createAheadMemory(0), wanted)
        expect(await answer(watched, createAheadMemory(), wanted)).toEqual(want)
        await turns(10)
        expect(unread.size).toBe(0)
      }),
      { numRuns: 300 },
    )
  })
})
