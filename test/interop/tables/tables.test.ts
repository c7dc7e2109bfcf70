/** Tables made of files of events, by readers of other make, and with another writer in between. */
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseJson } from '../../../src/formats/json.ts'
import { readBlocks } from '../../docs/blocks.ts'
import { runPage } from '../../docs/run-page.ts'
import { commitAll } from '../../integration/clients/server.ts'
import { describePart } from '../../suites/describe-part.ts'
import { runCli } from '../../suites/run-cli.ts'
import type { Sluice } from '../../suites/sluice-process.ts'
import { dayMs, firstDay, firstId, orderRows, sendOrders } from '../readers/orders.ts'
import { sendJson } from '../readers/send.ts'
import { urlOf, writeEvents } from '../readers/stage.ts'
import { missing, python, runScript } from './run-script.ts'

const timeoutMs = 600_000

describePart('readers', missing, 'C3: tables', () => {
  let sluice: Sluice
  let table: string
  beforeEach(async () => {
    sluice = await writeEvents({ settings: ['collector.output.format=parquet'] }, sendOrders)
    table = join(sluice.directory, 'fs/events/Order')
  }, timeoutMs)
  afterEach(() => sluice?.close())

  const tableCommand = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
    const { code, stdout, stderr } = await runCli([
      'table',
      ...words,
      '--json',
      '--set',
      `data.dir=${sluice.directory}`,
    ])
    expect(code, stdout + stderr).toBe(0)
    return parseJson(stdout) as Readonly<Record<string, unknown>>
  }
  const sendOrder = async (payload: Parameters<typeof sendJson>[1][number]['payload']): Promise<void> => {
    await sendJson(urlOf(sluice, 'server'), [{ name: 'Order', payload }])
    await commitAll(urlOf(sluice, 'admin'))
  }

  test('every row once for pyiceberg and DuckDB: new columns, another writer, time travel, files that are not read', {
    timeout: timeoutMs,
  }, async () => {
    const day = firstDay + 3 * dayMs
    const first = await tableCommand('import', 'Order')
    expect(first).toMatchObject({ isNew: true, files: 9, rows: 36, left: [] })
    await sendOrder({ eventDate: day + 7 * 3_600_000, id: firstId + 100n, gift: { from: 'Ada' } })
    expect(await tableCommand('import', 'Order')).toMatchObject({ files: 1, known: 9 })
    const foreign = BigInt(await runScript('append_order.py', table, String(firstId + 200n)))
    await sendOrder({ eventDate: day + 9 * 3_600_000, id: firstId + 300n })
    expect(await tableCommand('import', 'Order')).toMatchObject({ files: 1, known: 10 })
    expect(await tableCommand('check', 'Order')).toMatchObject({ files: 12, rows: 39, findings: [] })

    const history = (await tableCommand('history', 'Order'))['snapshots'] as readonly { readonly id: number | bigint }[]
    const ids = history.map(({ id }) => BigInt(id)).reverse()
    expect(ids).toContain(foreign)
    const { pyiceberg, duckdb } = JSON.parse(
      await runScript('table_facts.py', table, String(first['snapshotId'])),
    ) as Record<'pyiceberg' | 'duckdb', Readonly<Record<string, unknown>>>
    const added = (id: bigint, hour: number) => ({
      eventName: 'Order',
      eventDate: new Date(day + hour * 3_600_000).toISOString(),
      id: String(id),
    })
    const rows = [
      ...orderRows,
      { ...added(firstId + 100n, 7), eventGranularity: 'HOURLY', gift: { from: 'Ada' } },
      added(firstId + 200n, 8),
      { ...added(firstId + 300n, 9), eventGranularity: 'HOURLY' },
    ]
    for (const facts of [pyiceberg, duckdb]) {
      expect(facts['rows']).toEqual(rows)
      expect(facts).toMatchObject({ before: 36, later: 8, filesRead: 5 })
    }
    expect(pyiceberg['columns']).toEqual(
      expect.arrayContaining([
        [2, 'eventDate', 'timestamptz'],
        [4, 'id', 'long'],
      ]),
    )
    expect((pyiceberg['snapshots'] as readonly unknown[]).length).toBe(ids.length)

    expect(await tableCommand('expire', 'Order', '--older-than', '1s', '--yes')).toMatchObject({ snapshots: 0 })
    expect(await tableCommand('list')).toMatchObject({ tables: [{ path: '/events/Order', rows: 39, files: 12 }] })
  })
})

describePart('readers', missing, 'docs/how-to/tables.md', () => {
  test('does what it says', { timeout: timeoutMs }, () =>
    runPage(readBlocks('docs/how-to/tables.md'), { path: [dirname(python)] }),
  )
})
