/**
 * A store that does not look at `If-None-Match`: tables of a REST catalog are written there, each row once, and nothing else.
 * With real parts, since what a store, a killed process and a reader of other make agree on is theirs to say.
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startMoto } from '../../../scripts/s3/stores.ts'
import { commitAll } from '../../integration/clients/server.ts'
import { describePart } from '../../suites/describe-part.ts'
import { startFakeCatalog } from '../../suites/fake-rest-catalog.ts'
import { testEnv } from '../../suites/s3/fake-s3.ts'
import { startForgetfulProxy } from '../../suites/s3/forgetful-proxy.ts'
import { createBucket } from '../../suites/s3/raw-store.ts'
import { createSluice } from '../../suites/sluice-process.ts'
import { makePythonEnvironment } from '../python-environment.ts'
import { firstId, orders, sendOrders } from '../readers/orders.ts'
import { urlOf } from '../readers/stage.ts'

const script = join(import.meta.dirname, 'python/catalog_rows.py')
const moto = await makePythonEnvironment('s3', resolve('test/interop/s3/python/requirements.txt'))
const readers = await makePythonEnvironment('tables', resolve('test/interop/tables/python/requirements.txt'))
const missing = 'missing' in moto ? moto.missing : 'missing' in readers ? readers.missing : undefined

describePart('s3', missing, 'a store that does not look at the condition', () => {
  const open = async () => {
    const store = await startMoto('python' in moto ? moto.python : '')
    onTestFinished(() => store.stop())
    const bucket = await createBucket(store.endpoint, 'bucket', 'lake/')
    onTestFinished(() => bucket.close())
    const proxy = await startForgetfulProxy(store.endpoint)
    onTestFinished(() => proxy.close())
    return { store, bucket, proxy }
  }
  const create = async (endpoint: string, settings: readonly string[], onLine?: (line: string) => void) => {
    const cluster = { path: '/', url: 's3://bucket/lake', endpoint, region: 'us-east-1' }
    const calm = 'collector.diskspool.flush-interval-seconds=3600'
    const sluice = await createSluice({
      settings: [`clusters=${JSON.stringify([cluster])}`, 'collector.output.format=parquet', calm, ...settings],
      env: testEnv,
      ...(onLine && { onLine }),
    })
    onTestFinished(() => sluice.close())
    return sluice
  }
  const toTable = 'collector.output.table=iceberg'

  test('takes tables of a catalog, through `kill -9`: pyiceberg finds each row once, and the start says it', async () => {
    const { store, bucket, proxy } = await open()
    const catalog = await startFakeCatalog({ tableUuid: randomUUID() })
    const lines: string[] = []
    const toCatalog = [toTable, `collector.output.catalog=${catalog.url}`, 'collector.output.namespace=sales']
    const sluice = await create(proxy.endpoint, toCatalog, line => void lines.push(line))
    await sluice.start()
    expect(lines.join('\n')).toContain('tables of the catalog have each event once without it')
    for (const day of [0, 1, 2]) {
      await sendOrders(urlOf(sluice, 'server'), day)
      const committing = commitAll(urlOf(sluice, 'admin')).catch(() => {})
      // In the middle of what it sends, or before, or behind.
      if (day === 1) await sluice.kill()
      await committing
      if (day === 1) await sluice.start()
    }
    await commitAll(urlOf(sluice, 'admin'))
    const python = 'python' in readers ? readers.python : ''
    const { stdout } = await promisify(execFile)(python, [script, catalog.url, 'sales', store.endpoint])
    const ids = orders.map((_, at) => firstId + BigInt(at))
    const sum = String(ids.reduce((all, id) => all + id))
    expect(JSON.parse(stdout)).toEqual({ rows: ids.length, ids: ids.length, sum })
    expect((await bucket.look()).uploads).toEqual([])
    const upload = await fetch(`${urlOf(sluice, 'server')}/rest/1.0?path=/f`, { method: 'POST', body: 'x' })
    expect(await upload.text()).toContain('does not honour If-None-Match')
  })

  test.for([
    ['files', []],
    ['tables without a catalog', [toTable]],
  ] as const)('is refused for %s, with what to do', async ([, settings]) => {
    const { proxy } = await open()
    const sluice = await create(proxy.endpoint, settings)
    await expect(sluice.start()).rejects.toThrow(/does not honour If-None-Match, .*collector\.output\.catalog/)
    expect(proxy.dropped()).toBeGreaterThan(0)
  })
})
