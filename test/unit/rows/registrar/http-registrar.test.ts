import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createHttpRegistrar } from '../../../../src/rows/registrar/http-registrar.ts'

const type = (name: string, schema: unknown): unknown => ({ name, schema })
const field = (name: string, position: unknown, kind = 'STRING'): unknown => ({ name, type: kind, position })

const answer = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status })

describe('createHttpRegistrar', () => {
  test('knows nothing until the registry has answered, then fields by id', async () => {
    const asked: string[] = []
    let release = (): void => {}
    const registrar = createHttpRegistrar({
      url: 'http://registry:8081',
      refreshMs: 90_000,
      fetch: async input => {
        asked.push(input instanceof Request ? input.url : input.toString())
        await new Promise<void>(resolve => {
          release = resolve
        })
        return answer({ types: [type('E', [field('b', 2, 'Long'), field('a', 1)])], sinkAddInfo: '' })
      },
    })
    expect(registrar.fields('E')).toBeUndefined()
    release()
    await expect
      .poll(() => registrar.fields('E'))
      .toEqual([
        { id: 1, name: 'a', type: 'string' },
        { id: 2, name: 'b', type: 'long' },
      ])
    for (let i = 0; i < 100; i++) expect(registrar.fields('unknown')).toBeUndefined()
    expect(asked).toEqual(['http://registry:8081/registrar'])
    registrar.close()
  })

  test('a bad type never spoils the others, and is logged', async () => {
    const log = { warn: vi.fn() }
    const bad = [null, type('', []), type('x', 1), type('y', [field('a', 'one')]), type('z', [field('a', 1, 'blob')])]
    const registrar = createHttpRegistrar({
      url: 'http://registry/types',
      refreshMs: 90_000,
      fetch: async () => answer({ types: [...bad, type('good', [field('a', 1)])] }),
      log,
    })
    await expect.poll(() => registrar.fields('good')).toHaveLength(1)
    expect(['', 'x', 'y', 'z'].map(name => registrar.fields(name))).toEqual(Array(4).fill(undefined))
    expect(log.warn).toHaveBeenCalledTimes(bad.length)
    registrar.close()
  })

  test('a redirect is followed nowhere, and the log says so', async () => {
    const asked: (string | undefined)[] = []
    const registry = createServer((request, response) => {
      asked.push(request.url)
      if (request.url === '/away') response.end(JSON.stringify({ types: [type('E', [field('a', 1)])] }))
      else response.writeHead(307, { location: '/away' }).end()
    })
    await once(registry.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void registry.close())
    const { port } = registry.address() as AddressInfo
    const log = { warn: vi.fn() }
    const registrar = createHttpRegistrar({ url: `http://127.0.0.1:${port}/types`, refreshMs: 90_000, log })
    await expect.poll(() => log.warn).toHaveBeenCalledOnce()
    expect(log.warn.mock.calls[0]?.[0].err.message).toMatch(/leads to another address/)
    expect([asked, registrar.fields('E')]).toEqual([['/types'], undefined])
    registrar.close()
  })

  test('S5: a user in the URL goes into a header, and neither that nor the query into the log', async () => {
    const log = { warn: vi.fn() }
    const get = vi.fn<typeof fetch>(async () => answer({}, 500))
    const registrar = createHttpRegistrar({
      url: 'http://ann:hun%40ter2@registry/types?key=hunter2',
      refreshMs: 90_000,
      fetch: get,
      log,
    })
    await expect.poll(() => log.warn).toHaveBeenCalledOnce()
    registrar.close()
    const [url, init] = get.mock.calls[0] ?? []
    expect(url).toBe('http://registry/types?key=hunter2')
    expect(new Headers(init?.headers).get('authorization')).toBe(`Basic ${btoa('ann:hun@ter2')}`)
    expect(log.warn.mock.calls[0]?.[0]).toMatchObject({ url: 'http://registry/types' })
    expect(String(log.warn.mock.calls[0]?.[0].err)).not.toMatch(/hun|ter2/)
  })

  test('what was known is kept while the registry fails', async () => {
    vi.useFakeTimers()
    try {
      const log = { warn: vi.fn() }
      const answers = [
        () => answer({ types: [type('E', [field('a', 1)])] }),
        () => answer({}, 500),
        () => answer({ types: 'none' }),
        () => {
          throw new TypeError('fetch failed')
        },
        () => answer({ types: [type('F', [field('a', 1)])] }),
      ]
      const registrar = createHttpRegistrar({
        url: 'http://registry/',
        refreshMs: 1_000,
        fetch: async () => (answers.shift() ?? (() => answer({ types: [] })))(),
        log,
      })
      const heard = vi.fn()
      registrar.known?.onChange(heard)
      await vi.advanceTimersByTimeAsync(3_500)
      expect(answers).toHaveLength(1)
      expect(registrar.fields('E')).toHaveLength(1)
      expect(log.warn).toHaveBeenCalledTimes(1)
      await vi.advanceTimersByTimeAsync(1_000)
      expect(registrar.fields('E')).toBeUndefined()
      expect(registrar.fields('F')).toHaveLength(1)
      expect(heard).toHaveBeenLastCalledWith(registrar.known?.current())
      registrar.close()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('an answer without end is given up', async () => {
    const log = { warn: vi.fn() }
    const body = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(Buffer.alloc(1024 * 1024, 0x20)),
    })
    const registrar = createHttpRegistrar({
      url: 'http://registry/',
      refreshMs: 90_000,
      fetch: async () => new Response(body),
      log,
    })
    await expect.poll(() => log.warn).toHaveBeenCalledTimes(1)
    expect(log.warn.mock.calls[0]?.[0]).toMatchObject({ err: { message: expect.stringContaining('more than') } })
    registrar.close()
  })
})
