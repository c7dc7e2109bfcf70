import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../../src/log/log.ts'
import { at, createTestGateway, type TestGateway } from '../../suites/gateway.ts'
import { type FakeHdfs, startFakeHdfs } from '../filesystem/fake-hdfs.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const traced = { traceparent: `00-${traceId}-${parentId}-01`, tracestate: 'rojo=00f067aa0ba902b7,congo=t61' }

describe.each([
  ['in this process', 0],
  ['in a process of its own', 1],
])('what reads works %s', (_, readers) => {
  let hdfs: FakeHdfs
  let gateway: TestGateway
  const lines: string[] = []

  beforeAll(async () => {
    hdfs = await startFakeHdfs()
    const { host } = new URL(hdfs.url)
    gateway = await createTestGateway({
      fileSystem: null,
      settings: [
        `namenode.url=hdfs://${host}`,
        `namenode.webhdfs.url=${hdfs.url}`,
        `gateway.readers=${readers}`,
        'gateway.trash=0',
      ],
      logger: createLogger({ format: 'json', level: 'debug', write: line => lines.push(line) }),
    })
  })
  afterAll(async () => {
    await gateway.close()
    await hdfs.close()
  })
  beforeEach(() => {
    hdfs.fault = () => false
    hdfs.files.clear()
    hdfs.files.set('/a', Buffer.from('one\n'))
    hdfs.files.set('/b', Buffer.from('two\n'))
    hdfs.requests.length = 0
    lines.length = 0
  })

  const ask = async (target: string, init?: RequestInit): Promise<number> => {
    const response = await gateway.call(target, init)
    await response.arrayBuffer()
    return response.status
  }
  const asked = () =>
    hdfs.requests.map(({ step, request }) => {
      const { traceparent, tracestate } = request.headers
      return { step, traceparent, tracestate }
    })

  const requests: readonly (readonly [name: string, target: string, init: RequestInit, steps: readonly string[]])[] = [
    ['a page', at('/hdfs', '/a'), {}, ['name GETFILESTATUS', 'data OPEN']],
    ['rows', at('/json', '/a'), {}, ['name OPEN', 'data OPEN']],
    ['bytes', at('/binary', '/a'), {}, ['name OPEN', 'data OPEN']],
    ['a listing', at('/hdfs', '/'), {}, ['name LISTSTATUS']],
    [
      'an archive',
      at('/binary', '/', '&recursive=true&archive=tar'),
      {},
      ['name LISTSTATUS', 'name OPEN', 'data OPEN'],
    ],
    ['an upload', at('', '/new'), { method: 'POST', body: 'x' }, ['name CREATE', 'data CREATE', 'name RENAME']],
    ['a removal', at('', '/a'), { method: 'DELETE' }, ['name DELETE']],
    ['the API of Hadoop', '/webhdfs/v1/a?op=OPEN', {}, ['name OPEN', 'data OPEN']],
  ]

  test.each(requests)('%s: each call says the trace, as it came', async (_name, target, init, steps) => {
    await ask(target, { ...init, headers: { ...traced, 'content-type': 'application/octet-stream' } })
    const calls = asked()
    expect(calls.map(({ step }) => step)).toEqual(expect.arrayContaining([...steps]))
    expect(new Set(calls.map(({ traceparent }) => traceparent))).toEqual(new Set([traced.traceparent]))
    expect(new Set(calls.map(({ tracestate }) => tracestate))).toEqual(new Set([traced.tracestate]))
  })

  const untraced: readonly (readonly [name: string, headers: Readonly<Record<string, string>>])[] = [
    ['no trace', {}],
    ['a trace that is none', { traceparent: `00-${'0'.repeat(32)}-${parentId}-01`, tracestate: 'a=b' }],
    ['a state without a trace', { tracestate: 'a=b' }],
  ]
  test.each(untraced)('%s: nothing is sent on', async (_name, headers) => {
    await ask(at('/json', '/a'), { headers: traced })
    hdfs.requests.length = 0
    for (const [, target, init] of requests) {
      await ask(target, { ...init, headers: { ...headers, 'content-type': 'application/octet-stream' } })
    }
    expect(asked().length).toBeGreaterThan(requests.length)
    expect(asked().filter(({ traceparent, tracestate }) => traceparent ?? tracestate)).toEqual([])
  })

  test.each(['x'.repeat(513), 'a=b\u00e9'])('a state that need not be propagated is dropped', async tracestate => {
    await ask(at('/json', '/a'), { headers: { ...traced, tracestate } })
    expect(new Set(asked().map(call => call.tracestate))).toEqual(new Set([undefined]))
    expect(new Set(asked().map(({ traceparent }) => traceparent))).toEqual(new Set([traced.traceparent]))
  })

  test.each([
    ['of a trace', traced, traceId],
    ['of none', {}, undefined],
  ])('lines of the log that are written for a request %s', async (_name, headers, expected) => {
    const type = { 'content-type': 'application/octet-stream' }
    await ask(at('', '/new'), { method: 'POST', body: 'x', headers: { ...headers, ...type } })
    hdfs.files.set('/long', Buffer.from('a line of many\n'.repeat(40_000)))
    hdfs.fault = ({ step, response }) => {
      if (step !== 'data OPEN') return false
      const bytes = hdfs.files.get('/long') ?? Buffer.alloc(0)
      response.writeHead(200, { 'content-length': bytes.length })
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
      return true
    }
    await expect(ask(at('/json', '/long'), { headers })).rejects.toThrow()
    const told = lines.map(line => JSON.parse(line) as { readonly msg: string; readonly traceId?: string })
    const ofRequests = told.filter(({ msg }) => !msg.startsWith('a reader'))
    expect(ofRequests.map(({ msg }) => msg)).toEqual(['gateway', 'a response was cut short: its source failed'])
    expect(ofRequests.map(line => line.traceId)).toEqual([expected, expected])
  })
})
