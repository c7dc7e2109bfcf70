import { describe, expect, test } from 'vitest'
import { listBeans, resolveBean, toBeanValue, toValueText } from '../../../../admin/cli/server/beans.ts'
import { toBeanNames } from '../../../../admin/cli/server/collector-beans.ts'
import { flushNow } from '../../../../admin/cli/server/flush.ts'
import { rateOf, takeSample } from '../../../../admin/cli/server/stats.ts'
import { toStatsView } from '../../../../admin/cli/server/stats-view.ts'
import { createRpcClient, type RpcClient } from '../../../../admin/client/rpc-client.ts'

type Call = { readonly id: number; readonly method: string; readonly params?: Record<string, unknown> }

/** A management listener that answers by method; what throws becomes a JSON-RPC error. */
const fakeServer = (answer: (method: string, params: Record<string, unknown>) => unknown): RpcClient =>
  createRpcClient({
    url: 'http://fake',
    fetch: async request => {
      const body = (await request.json()) as Call | Call[]
      const one = async ({ id, method, params = {} }: Call) => {
        try {
          return { jsonrpc: '2.0', id, result: await answer(method, params) }
        } catch (error) {
          return { jsonrpc: '2.0', id, error: { code: -32000, message: (error as Error).message } }
        }
      }
      return Response.json(Array.isArray(body) ? await Promise.all(body.map(one)) : await one(body))
    },
  })

const names = toBeanNames('acme')
const known = [
  names.hdfs,
  names.realtimeQueue,
  'acme.metrics.collector:Type=A,name=RTQueueStats',
  'acme.metrics.collector.filters:name=Host',
  'other:name=Host',
]

describe('resolveBean', () => {
  const rpc = fakeServer(method => (method === 'search' ? known : undefined))

  test.each([
    ['HDFSWriter', names.hdfs],
    ['RTQueueStats', names.realtimeQueue],
    ['any:name=thing', 'any:name=thing'],
  ])('%s', async (name, want) => expect(await resolveBean(rpc, name)).toBe(want))

  test('a name that several have needs to be given in full', async () => {
    await expect(resolveBean(rpc, 'Host')).rejects.toMatchObject({
      exitCode: 2,
      hint: expect.stringContaining('other:name=Host'),
    })
  })

  test('a mistyped name gets the nearest', async () => {
    await expect(resolveBean(rpc, 'HDFSWriten')).rejects.toMatchObject({
      exitCode: 1,
      hint: 'Did you mean HDFSWriter?',
    })
  })
})

describe('listBeans', () => {
  test('goes through all pages', async () => {
    const rpc = fakeServer((_method, { after }) =>
      after === undefined ? { beans: [{ mbean: 'a' }], next: 'a' } : { beans: [{ mbean: 'b' }] },
    )
    expect((await listBeans(rpc)).map(({ mbean }) => mbean)).toEqual(['a', 'b'])
  })
})

describe('toBeanValue', () => {
  test.each([
    ['true', 'boolean', true],
    ['5', 'int', 5],
    ['-7200000', 'long', -7_200_000],
    ['1.5', 'double', 1.5],
    ['5', 'string', '5'],
    ['a,b', 'string[]', ['a', 'b']],
    ['["a,b"]', 'string[]', ['a,b']],
    ['{"a":1}', 'map', { a: 1 }],
  ])('%s as %s', (word, type, want) => expect(toBeanValue(word, type)).toEqual(want))

  test.each([
    ['yes', 'boolean'],
    ['1.5', 'int'],
    ['', 'double'],
    ['99999999999999999999', 'long'],
  ])('%j is not of type %s', (word, type) =>
    expect(() => toBeanValue(word, type)).toThrow(`${word} is not of type ${type}`),
  )

  test('values for people', () => {
    expect([null, 'x', 0.1 + 0.2, [1, 'a'], { n: 2n }].map(toValueText)).toEqual(['–', 'x', '0.3', '1, a', '{"n":2}'])
  })
})

describe('flushNow', () => {
  test('asks for the progress while it runs, and ends with the report', async () => {
    let flushed = 0
    let end: (report: unknown) => void = () => {}
    const rpc = fakeServer((method, { mbean }) => {
      if (method === 'exec')
        return new Promise(resolve => {
          end = resolve
        })
      if (mbean !== names.writer) return { value: { nbLocalFiles: 3 - flushed, FlushEnabled: true } }
      if (flushed === 2) end({ files: 3, bytes: 42, failures: 0 })
      return { value: { HdfsFlushes: flushed++ } }
    })
    const seen: (readonly [number, number | undefined])[] = []
    expect(await flushNow(rpc, names, (done, total) => seen.push([done, total]))).toEqual({
      files: 3,
      bytes: 42,
      failures: 0,
    })
    expect(seen.length).toBeGreaterThanOrEqual(1)
    expect(seen.every(([done, total]) => total !== undefined && done <= total)).toBe(true)
  })

  test('a failure of the operation is its failure', async () => {
    const rpc = fakeServer(method => {
      if (method === 'exec') throw new Error('No such operation')
      return { value: {} }
    })
    await expect(flushNow(rpc, names, () => {})).rejects.toThrow('No such operation')
  })
})

describe('takeSample', () => {
  const rpc = fakeServer((_method, { mbean }) => {
    if (mbean === names.apis) {
      return {
        timestamp: 1_000,
        value: {
          'acme.metrics.collector.endpoint.resources:name=GET_API,type=CollectorResource': {
            Count: 5,
            OneMinuteRate: 0.5,
            '99thPercentile': 3,
          },
          'acme.metrics.collector.endpoint.resources:name=JSON_SUCCES,type=EventRequestHandler': { Count: 9 },
        },
      }
    }
    if (mbean === names.realtime) throw new Error('no such bean')
    return { value: mbean === names.writer ? { WrittenEvents: 7, HdfsFlushes: '2' } : {}, timestamp: 1_000 }
  })

  test('takes what is there; what is not is null', async () => {
    const sample = await takeSample(rpc, names)
    expect(sample.totals).toMatchObject({ written: 7, flushes: 2, received: null })
    expect(sample.realtimeEnabled).toBeNull()
    expect(sample.apis).toEqual([{ name: 'GET_API', count: 5, oneMinuteRate: 0.5, p50: null, p95: null, p99: 3 }])
  })

  test('rates between two looks; none across a restart', async () => {
    const first = await takeSample(rpc, names)
    const grown = { ...first, at: 3_000, totals: { ...first.totals, written: 17 } }
    expect(rateOf('written', first, grown)).toBe(5)
    expect(rateOf('written', grown, { ...first, at: 4_000 })).toBeUndefined()
    expect(rateOf('received', first, grown)).toBeUndefined()
    const view = toStatsView([first, grown], 100)
    expect(view).toMatch(/^written +17 +5\.00\/s +█$/m)
    expect(view).toMatch(/^GET v1 +5 +0\.50\/s +– +– +3\.00 ms$/m)
  })
})

test.each([
  [1234567.891234, '1234567.9'],
  [0.123456789, '0.123457'],
  [-99999.94, '-99999.9'],
])('toValueText never rounds what stands before the point: %d', (value, want) => expect(toValueText(value)).toBe(want))
