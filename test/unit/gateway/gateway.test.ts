import { describe, expect, test } from 'vitest'
import { createByteBody, createTextBody } from '../../../src/gateway/body.ts'
import { createGatewayFigures } from '../../../src/gateway/figures.ts'
import { createGateway } from '../../../src/gateway/gateway.ts'
import { createWebCall } from '../../../src/http/call/web-call.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { openTestTokens } from '../../suites/delegation-tokens.ts'
import { chunksOf } from '../../suites/filesystem.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { createTestReads } from '../../suites/reads.ts'

test('createGateway counts requests by operation, cluster and status, bytes by direction, and upstream times', async () => {
  const figures = createGatewayFigures()
  const fileSystem = createMemoryFileSystem()
  await fileSystem.create('/a/f', chunksOf('hello'))
  let now = 0
  const { handlers } = createGateway({
    fileSystem,
    reads: createTestReads(fileSystem),
    figures,
    logger: silentLogger,
    maxReads: () => 10,
    delegationTokens: await openTestTokens(),
    clusterOf: path => (path.startsWith('/a') ? '/a' : '/'),
    nowMs: () => now++,
  })
  const call = <P>(method: string, params: P, init: RequestInit = {}) =>
    createWebCall(new Request('http://localhost/x', { method, ...init })).withOperation('x', params)
  const read = { path: '/a/f', recursive: false, raw: false }
  await (await handlers.readBinary(call('GET', read))).text()
  await (await handlers.readBinary(call('GET', read, { headers: { range: 'bytes=0-1' } }))).text()
  await expect(Promise.resolve(handlers.readBinary(call('GET', { ...read, path: '/none' })))).rejects.toThrow()
  const upload = { path: '/up', overwrite: false, replication: 1, permission: '644' }
  await handlers.uploadFile(call('POST', upload, { body: '12345678' }))
  expect(figures.requests()).toEqual([
    { op: 'readBinary', cluster: '/a', code: 200, count: 1 },
    { op: 'readBinary', cluster: '/a', code: 206, count: 1 },
    { op: 'readBinary', cluster: '/', code: 404, count: 1 },
    { op: 'uploadFile', cluster: '/', code: 201, count: 1 },
  ])
  expect(figures.bytes).toEqual({ out: 7, in: 8 })
  const { count, totalMs } = figures.upstream
  expect([count > 5, totalMs]).toEqual([true, count])
})

describe('createTextBody', () => {
  const read = async (body: ReadableStream<Uint8Array>) =>
    (await Array.fromAsync(body)).map(chunk => Buffer.from(chunk).toString())

  async function* pieces(...texts: readonly string[]) {
    yield* texts
  }

  test('joins small pieces, and keeps none back while its source waits', async () => {
    const gate = Promise.withResolvers<void>()
    const source = async function* () {
      yield 'a'
      yield 'b'
      await gate.promise
      yield 'c'
    }
    const reader = (await createTextBody(source())).getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('ab')
    gate.resolve()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('c')
    expect((await reader.read()).done).toBe(true)
    const chunks = await read(await createTextBody(pieces(...Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)))))
    expect([chunks.join('').length, chunks.length < 20]).toEqual([1_000_000, true])
  })

  test('joins text and bytes in their order', async () => {
    const source = async function* () {
      yield 'é'
      yield 'b'
      yield Buffer.from('世')
      yield 'd'
    }
    expect(await read(await createTextBody(source()))).toEqual(['éb世d'])
  })

  test('an empty source is an empty body', async () => {
    expect(await read(await createTextBody(pieces()))).toEqual([])
  })

  test('throws what goes wrong before the first piece, and gives what was made before a later failure', async () => {
    const failing = async function* (...texts: readonly string[]) {
      yield* texts
      throw new Error('broke')
    }
    const ends: unknown[] = []
    const onEnd = (end: unknown) => void ends.push(end)
    await expect(createTextBody(failing(), { onEnd })).rejects.toThrow('broke')
    const reader = (await createTextBody(failing('é'), { onEnd })).getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('é')
    await expect(reader.read()).rejects.toThrow('broke')
    expect(ends).toMatchObject([
      { bytes: 0, error: { message: 'broke' } },
      { bytes: 2, error: { message: 'broke' } },
    ])
  })

  test('a reader that leaves ends the source, and hears nothing of it', async () => {
    const ends: unknown[] = []
    const stopped: boolean[] = []
    let isClosed = false
    const source = async function* () {
      try {
        for (;;) yield 'x'.repeat(70_000)
      } finally {
        isClosed = true
      }
    }
    const options = { onEnd: (end: unknown) => void ends.push(end), stop: () => void stopped.push(true) }
    const reader = (await createTextBody(source(), options)).getReader()
    await reader.read()
    await reader.cancel()
    await expect.poll(() => isClosed).toBe(true)
    expect([stopped, ends]).toEqual([[true], [{ bytes: 70_000, cancelled: true }]])
  })
})

test('createByteBody refuses a source that is shorter or longer than announced', async () => {
  const bytes = async (expected: number | undefined) =>
    Buffer.concat(await Array.fromAsync(await createByteBody(chunksOf('ab', 'cd'), expected))).toString()
  expect([await bytes(4), await bytes(undefined)]).toEqual(['abcd', 'abcd'])
  await expect(bytes(5)).rejects.toThrow('4 bytes came, 5 were announced')
  await expect(bytes(3)).rejects.toThrow('4 bytes came, 3 were announced')
})
