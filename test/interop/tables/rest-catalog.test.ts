/** Tables in Apache's REST catalog, by readers of other make, and with another writer in between. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { missingForRestCatalog, startRestCatalog } from '../../../scripts/iceberg/rest-catalog.ts'
import { commitAll } from '../../integration/clients/server.ts'
import { describePart } from '../../suites/describe-part.ts'
import { makePythonEnvironment } from '../python-environment.ts'
import { dayMs, firstDay, firstId, orderRows, sendOrders } from '../readers/orders.ts'
import { sendJson } from '../readers/send.ts'
import { urlOf, writeEvents } from '../readers/stage.ts'

const script = join(import.meta.dirname, 'python/rest_catalog.py')
const made = await makePythonEnvironment('tables', resolve('test/interop/tables/python/requirements.txt'))
const missing = 'missing' in made ? made.missing : await missingForRestCatalog()
const python = 'python' in made ? made.python : ''

describePart('readers', missing, 'tables in a REST catalog', () => {
  test('have every row once for pyiceberg and DuckDB, also when pyiceberg writes to them in between', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-rest-readers-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const server = await startRestCatalog({ warehouse: `file://${directory}` })
    onTestFinished(() => server.stop())
    const output = ['format=parquet', 'layout=dated', 'table=iceberg', `catalog=${server.url}`, 'namespace=sales']
    const settings = output.map(one => `collector.output.${one}`)
    const sluice = await writeEvents({ settings }, sendOrders)
    onTestFinished(() => sluice.close())
    const ask = async (uri: string, namespace: string, ...words: readonly string[]): Promise<unknown> => {
      const env = { ...process.env, TZ: 'UTC', PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1' }
      const { stdout } = await promisify(execFile)(python, [script, uri, namespace, ...words], { env })
      return JSON.parse(stdout)
    }
    const read = (...words: readonly string[]): Promise<unknown> => ask(server.url, 'sales', ...words)
    const ids = orderRows.map(row => BigInt(row['id'] as number | bigint))
    const factsOf = (all: readonly bigint[]) => {
      const facts = { rows: all.length, ids: all.length, sum: String(all.reduce((sum, id) => sum + id)) }
      return { pyiceberg: facts, DuckDB: facts }
    }
    expect(await read()).toEqual(factsOf(ids))
    const foreign = firstId + 200n
    expect(await read(String(foreign))).toEqual(factsOf([...ids, foreign]))
    const own = firstId + 300n
    const payload = { eventDate: firstDay + 3 * dayMs, id: own, gift: { from: 'Ada' } }
    await sendJson(urlOf(sluice, 'server'), [{ name: 'Order', payload }])
    await commitAll(urlOf(sluice, 'admin'))
    const all = [...ids, foreign, own]
    expect(await read()).toEqual(factsOf(all))
    // The same by the gateway: as rows, and as the catalog through which they read.
    const gateway = urlOf(sluice, 'server')
    const rows = await (await fetch(`${gateway}/rest/1.0/text?path=/events/Order&columns=id`)).text()
    expect(new Set(rows.trim().split('\r\n').map(BigInt))).toEqual(new Set(all))
    expect(rows.trim().split('\r\n')).toHaveLength(all.length)
    expect(await ask(`${gateway}/iceberg`, 'events')).toEqual(factsOf(all))
    await server.kill()
    const refused = await fetch(`${gateway}/rest/1.0/text?path=/events/Order`)
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining(server.url)])
  })
})
