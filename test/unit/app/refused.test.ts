import { expect, test } from 'vitest'
import { encodeRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../../src/formats/thrift/field-list.ts'
import { openRefusedServer } from '../../suites/refused-server.ts'
import { readFiles } from '../../suites/spool.ts'

const open = async (...settings: readonly string[]) => {
  const { post, flush, call, fileSystem } = await openRefusedServer(...settings)
  return {
    post: (body: string | Uint8Array<ArrayBuffer>, type = 'application/json') => post(body, { 'content-type': type }),
    flush: async () => {
      await flush()
      return [...(await readFiles(fileSystem)).keys()]
    },
    rows: async (path: string): Promise<unknown> => (await call(`/rest/1.0/json?path=${path}`)).json(),
  }
}

const thrift = (total: string) =>
  new Uint8Array(
    encodeRecord({
      typeName: 'Order',
      date: Date.UTC(2026, 10, 22, 7),
      granularity: 'HOURLY',
      payload: encodeFields([{ id: 1, type: thriftType.string, value: Buffer.from(total) }]),
    }),
  )

test.each(['jsonl', 'native', 'sequencefile', 'parquet'])('refused events are files of their own: %s', async format => {
  const { post, flush, rows } = await open(`collector.output.format=${format}`)
  expect((await post('no JSON')).status).toBe(400)
  expect((await post('[{"eventName":"_unknown","payload":{"a":1}},{"eventName":"Order","payload":7}]')).status).toBe(
    202,
  )
  expect((await post(thrift('x').subarray(0, 20), 'application/thrift')).status).toBe(400)
  const files = await flush()
  const places = files.map(path => path.slice(0, path.lastIndexOf('/'))).sort()
  const hour = '2026/11/22/08'
  expect(places).toEqual([
    `/events/%5Funknown/${hour}`,
    `/events/_refused/Order/${hour}`,
    `/events/_refused/_unknown/${hour}`,
  ])
  const order = files.find(path => path.includes('/_refused/Order/')) ?? ''
  expect(await rows(order)).toMatchObject({
    entries: [{ content: [{ code: 'bad-event', kind: 'refused', position: 1, type: 'Order', isReplayable: true }] }],
  })
  // One table for all types, also in columns that no row of the file fills.
  if (format === 'parquet') expect(await rows(order)).toMatchObject({ entries: [{ content: [{ requestKey: null }] }] })
})
