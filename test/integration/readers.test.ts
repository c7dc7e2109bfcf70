import { afterEach, describe, expect, test } from 'vitest'
import { SluiceError } from '../../src/errors.ts'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import type { BodyEnd } from '../../src/gateway/body.ts'
import type { Call } from '../../src/http/call/call.ts'
import { createWebCall } from '../../src/http/call/web-call.ts'
import { createReaders, type Readers, type ReadersOptions } from '../../src/readers/readers.ts'

type Logged = { readonly level: string; readonly fields: Readonly<Record<string, unknown>>; readonly message: string }

const open: Readers[] = []
afterEach(async () => void (await Promise.all(open.splice(0).map(readers => readers.close()))))

const patient = { heapMb: 128, residentMb: 512, silenceMs: 60_000 }

/** Readers of tests, with what they say. */
const create = (options: Partial<ReadersOptions> = {}) => {
  const logged: Logged[] = []
  const times: number[] = []
  const figures = { now: 0, ended: 0 }
  const logAs = (level: string) => (fields: Logged['fields'], message: string) =>
    void logged.push({ level, fields, message })
  const readers = createReaders({
    module: new URL('../suites/reader-module.ts', import.meta.url),
    setup: {},
    count: 1,
    limits: patient,
    logger: { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') },
    figures: { readers: figures, recordUpstream: ms => times.push(ms) },
    tokensOf: () => {
      throw new TypeError('No cluster has tokens')
    },
    ...options,
  })
  open.push(readers)
  const ends: BodyEnd[] = []
  const read = async (path: string, more: Partial<Call<unknown>> = {}): Promise<Response> => {
    const call = {
      operationId: 'readJson',
      method: 'GET',
      target: `/rest/1.0/json?path=${path}`,
      params: { path },
      headers: {},
      peer: '127.0.0.1',
      secure: false,
      signal: new AbortController().signal,
      header: () => undefined,
      bytes: async () => new Uint8Array(),
      stream: () => null,
      ...more,
    }
    return await readers.readJson(call as Parameters<Readers['readJson']>[0], (_, stop) => ({
      onEnd: end => ends.push(end),
      stop: () => stop.abort(),
    }))
  }
  return { readers, read, logged, times, ends, figures }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const textOf = async (response: Promise<Response>): Promise<string> => await (await response).text()

describe('a read in a process of its own', () => {
  test('sees the call, but no secrets, and who makes it', async () => {
    const { read } = create()
    const headers = { accept: 'text/csv', authorization: 'Bearer x', cookie: 'sluice-session=x' }
    const caller = { name: 'ann', has: (role: string) => role === 'read' }
    const seen = JSON.parse(await textOf(read('/echo', { headers, caller }))) as Record<string, unknown>
    expect(seen).toMatchObject({
      operationId: 'readJson',
      method: 'GET',
      target: '/rest/1.0/json?path=/echo',
      params: { path: '/echo' },
      headers: { accept: 'text/csv' },
      caller: { name: 'ann' },
      mayWrite: false,
    })
    expect(JSON.stringify(seen)).not.toContain('Bearer')
    const may = { name: 'bob', has: () => true }
    expect(JSON.parse(await textOf(read('/echo', { caller: may })))).toMatchObject({ mayWrite: true })
  })

  test('gets with a page what the server knows of event types', async () => {
    const { readers } = create()
    const events = { columns: { columns: [{ name: 'user', type: 'INT64', misfits: 2 }], columnCount: 1 } }
    const params = { path: '/echo', recursive: false, order: 'asc', page: 1, events } as const
    const call = createWebCall(new Request('http://localhost/')).withOperation('browse', params)
    const answer = await readers.browse(call, () => ({}))
    expect(await answer.json()).toMatchObject({ params: { events } })
  })

  test('is another process, the same one each time', async () => {
    const { read } = create()
    const [first, second] = [await textOf(read('/pid')), await textOf(read('/pid'))]
    expect([first === String(process.pid), first === second]).toEqual([false, true])
  })

  test('is done by the same of several readers while there are no other reads', async () => {
    const { read } = create({ count: 3 })
    const pids = []
    for (let again = 0; again < 5; again++) pids.push(await textOf(read('/pid')))
    expect(new Set(pids).size).toBe(1)
    const holds = await Promise.all([1, 2, 3, 4].map(async () => await read('/hold')))
    const readers = holds.map(({ body }) => body?.getReader())
    const many = await Promise.all(
      readers.map(async reader => String(Buffer.from((await reader?.read())?.value ?? []))),
    )
    expect(new Set(many).size).toBe(3)
  })

  test('gives status and headers without a body', async () => {
    const response = await create().read('/empty')
    expect([response.status, response.headers.get('x-of'), response.body]).toEqual([204, 'empty', null])
  })

  test('throws here what was thrown there, and hides internal errors as a failure', async () => {
    const { read } = create()
    await expect(read('/nothing')).rejects.toThrow(
      new FileSystemError('not-found', '/nothing', 'There is no "/nothing"'),
    )
    const mistake: unknown = await read('/bug').catch((error: unknown) => error)
    expect([mistake instanceof SluiceError, String(mistake), (mistake as Error).stack]).toEqual([
      false,
      'Error: a mistake',
      expect.stringContaining('reader-module'),
    ])
  })

  test('comes whole and in order, however long it is', async () => {
    const text = await textOf(create().read('/long'))
    expect([text.length, text.replace(/(.)\1*/g, '$1')]).toEqual([5 * 2 ** 20, '54321'])
  })

  test('breaks off here as it did there', async () => {
    const { read, ends } = create()
    const reader = (await read('/breaks')).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('some')
    await expect(reader?.read()).rejects.toThrow('the cluster went away')
    expect(ends).toEqual([{ bytes: 4, error: expect.objectContaining({ code: 'unavailable' }) }])
  })

  test('logs here, and tells its times', async () => {
    const { read, logged, times } = create()
    await read('/empty')
    await expect.poll(() => times).toEqual([7])
    const [line] = logged.filter(({ message }) => message === 'reads')
    expect(line).toMatchObject({ level: 'info', fields: { path: '/empty', err: { message: 'for the log' } } })
  })

  test('logs within the trace of its call', async () => {
    const { read, logged } = create()
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    await read('/empty', { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } })
    await read('/empty')
    const linesOf = () => logged.filter(({ message }) => message === 'reads').map(({ fields }) => fields['traceId'])
    await expect.poll(linesOf).toEqual([traceId, undefined])
  })

  test('is called off when its client leaves, before the answer and within it', async () => {
    const { read } = create()
    const leaves = new AbortController()
    const waiting = read('/wait', { signal: leaves.signal })
    const held = await read('/hold')
    const deaf = await read('/deaf')
    const before = JSON.parse(await textOf(read('/figures'))) as { readonly aborted: number }
    leaves.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow()
    await held.body?.cancel()
    await deaf.body?.cancel()
    const figures = async (): Promise<unknown> => JSON.parse(await textOf(read('/figures')))
    await expect.poll(figures).toMatchObject({ cancelled: 1 })
    await expect.poll(async () => Number(Object(await figures()).aborted)).toBeGreaterThanOrEqual(before.aborted + 3)
  })

  test('waits for its client, and others do not wait for that', async () => {
    const { read } = create()
    const slow = await Promise.all(Array.from({ length: 3 }, () => read('/endless')))
    let made: unknown
    for (let others = 0; others < 300; others++) made = JSON.parse(await textOf(read('/figures')))
    expect(Object(made).megabytes).toBeLessThanOrEqual(3 * slow.length)
    await Promise.all(slow.map(async ({ body }) => await body?.cancel()))
  })

  test('is refused where readers cannot start', async () => {
    const { read, readers, logged, figures } = create({ setup: { refuse: 'no such module' } })
    await expect(readers.start()).rejects.toThrow('no such module')
    await expect.poll(() => figures.ended).toBe(1)
    await expect(read('/pid')).rejects.toMatchObject({ code: 'unavailable' })
    await expect.poll(() => figures.ended).toBe(2)
    // No more requests: none is started while another one starts and answers.
    await textOf(create().read('/pid'))
    expect(logged.filter(({ message }) => message === 'a reader starts')).toHaveLength(2)
  })
})

describe('R21: a reader that ends', () => {
  test.each([
    ['/die', 'was ended by SIGKILL'],
    ['/abort', 'took more memory than it may have'],
    ['/spin', 'took longer than 4 s'],
    ['/buffers', 'took more than 512 MB of memory'],
    ['/objects', 'took more memory than it may have'],
    ['/json', 'took more memory than it may have'],
  ])('is told of by the read that ends it: %s', async (path, why) => {
    const silenceMs = path === '/spin' ? 4_000 : patient.silenceMs
    const { read, logged } = create({ limits: { ...patient, silenceMs } })
    await expect(read(path)).rejects.toMatchObject({
      code: 'unreadable',
      message: `"${path}/inner" cannot be read: its reader process ${why}`,
    })
    expect(await textOf(read('/pid'))).toMatch(/^\d+$/)
    const reasons = logged.filter(({ message }) => message === 'a reader ended').map(({ fields }) => fields['reason'])
    expect(reasons).toEqual([why, why])
  })

  test('breaks off what had begun, and what had not is answered by another one', async () => {
    const { read, ends } = create()
    const begun = await read('/hold')
    const pid = await textOf(read('/pid'))
    const reader = begun.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(pid)
    const [killer, ...others] = await Promise.allSettled([read('/die'), textOf(read('/pid')), textOf(read('/echo'))])
    expect(killer).toMatchObject({ status: 'rejected', reason: { code: 'unreadable' } })
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    await expect(reader?.read()).rejects.toThrow('was ended by SIGKILL')
    // The one for suspects leaves when it has nothing more to do.
    const apart = Number(others[0]?.status === 'fulfilled' ? others[0].value : undefined)
    expect(apart).not.toBe(Number(pid))
    await expect.poll(() => isAlive(apart)).toBe(false)
    expect(ends).toContainEqual({ bytes: pid.length, error: expect.objectContaining({ name: 'ReaderEnded' }) })
  })

  test('does not affect other reads the second time', async () => {
    const { read, figures } = create()
    await expect(read('/die')).rejects.toMatchObject({ code: 'unreadable' })
    expect(figures.ended).toBe(2)
    const pid = await textOf(read('/pid'))
    await expect(read('/die')).rejects.toMatchObject({ code: 'unreadable' })
    expect(await textOf(read('/pid'))).toBe(pid)
  })

  test('does not affect other reads, however else it is requested', async () => {
    const { read, readers } = create()
    await expect(read('/die')).rejects.toMatchObject({ code: 'unreadable' })
    const pid = await textOf(read('/pid'))
    const dies = async (path: string, target: string): Promise<void> => {
      await expect(read(path, { target, params: { path } })).rejects.toMatchObject({ code: 'unreadable' })
      expect(await textOf(read('/pid'))).toBe(pid)
    }
    await dies('/x/../die/', '/rest/1.0/json?where=a%3D1&path=/x/../die/')
    // The file itself, which was opened for a read of its directory.
    await dies('/die/inner', '/rest/1.0/json?path=/die/inner')
    const call = createWebCall(new Request('http://localhost/')).withOperation('browse', { path: '/die' })
    const page = readers.browse(call as Parameters<Readers['browse']>[0], () => ({}))
    await expect(page).rejects.toMatchObject({ code: 'unreadable' })
    expect(await textOf(read('/pid'))).toBe(pid)
  })

  test('does not affect other reads the first time either, if its file expands far beyond its size', async () => {
    const { read, figures } = create()
    const held = await read('/hold')
    const pid = await textOf(read('/pid'))
    await expect(read('/swells/1/die')).rejects.toMatchObject({
      code: 'unreadable',
      message: '"/swells/1/die/inner" cannot be read: its reader process was ended by SIGKILL',
    })
    expect([figures.ended, await textOf(read('/pid'))]).toEqual([1, pid])
    await held.body?.cancel()
  })

  test('is not feared of a file that was read to its end, until the file is another one', async () => {
    const { read } = create()
    const pid = await textOf(read('/pid'))
    const first = await textOf(read('/swells/1/pid'))
    expect([await textOf(read('/swells/1/pid')), first === pid]).toEqual([pid, false])
    expect(await textOf(read('/swells/2/pid'))).not.toBe(pid)
    // A read that was not finished proves nothing yet.
    const begun = (await read('/swells/3/hold')).body?.getReader()
    expect(Buffer.from((await begun?.read())?.value ?? []).toString()).not.toBe(pid)
    await begun?.cancel()
    expect(await (await read('/swells/3/pid')).text()).not.toBe(pid)
  })

  test('is replaced before anybody asks', async () => {
    const { read, logged } = create()
    const pids = () =>
      logged.filter(({ message }) => message === 'a reader starts').map(({ fields }) => fields['reader'])
    const pid = Number(await textOf(read('/pid')))
    process.kill(pid, 'SIGKILL')
    await expect.poll(pids).toEqual([pid, expect.any(Number)])
    expect(pids()).toContain(Number(await textOf(read('/pid'))))
  })

  test('leaves no process behind', async () => {
    const { read, readers, figures } = create({ count: 2 })
    const [held, pid] = [await read('/hold'), Number(await textOf(read('/pid')))]
    await readers.close()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(figures).toEqual({ now: 0, ended: 0 })
    await expect(held.text()).rejects.toThrow()
    await expect(read('/pid')).rejects.toMatchObject({ code: 'draining' })
  })
})
