import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../../src/app/app.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { encodeRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../../src/formats/thrift/field-list.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { beatTwice, readFiles } from '../../suites/spool.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'

const open = async (...settings: readonly string[]) => {
  const all = ['server.port=0', 'admin.port=0', 'collector.scribe.enabled=false', 'gateway.readers=0', ...settings]
  const read = () =>
    loadConfig({ argv: all.flatMap(one => ['--set', one]), env: {}, cwd: '/nowhere', readFile: () => '' })
  const fileSystem = createMemoryFileSystem()
  const clock = { ms: Date.UTC(2026, 10, 22, 8, 0, 0, 1) }
  let beat = async (): Promise<void> => {}
  const app = await createApp({
    settings: read().settings,
    readSettings: read,
    logger: silentLogger,
    fileSystem,
    disk: createTearingDisk(),
    now: () => clock.ms,
    heartbeat: body => {
      beat = body
      return () => {}
    },
  })
  onTestFinished(() => app.close())
  const call = (path: string, init: RequestInit = {}) => app.fetch(new Request(`http://localhost${path}`, init))
  return {
    post: (body: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
      call('/rest/1.0/event', { method: 'POST', body, headers: { 'content-type': type } }),
    flush: async () => {
      clock.ms += 3_600_000
      await beatTwice(beat)
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
