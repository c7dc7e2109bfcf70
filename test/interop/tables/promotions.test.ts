/** A table of int and float that pyiceberg has made, to which the collector adds what only long and double hold. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commitAll } from '../../integration/clients/server.ts'
import { describePart } from '../../suites/describe-part.ts'
import { createSluice } from '../../suites/sluice-process.ts'
import { sendJson } from '../readers/send.ts'
import { urlOf } from '../readers/stage.ts'
import { missing, runScript } from './run-script.ts'

const output = ['format=parquet', 'layout=dated', 'table=iceberg'].map(one => `collector.output.${one}`)
const pace = ['collector.diskspool.flush-interval-seconds=3600', 'collector.output.snapshot-seconds=1']
const hour = Date.UTC(2026, 10, 23, 9)

describePart('readers', missing, 'columns that become wider', () => {
  test('pyiceberg, DuckDB and the gateway read rows from before and after', { timeout: 600_000 }, async () => {
    const sluice = await createSluice({ settings: [...output, ...pace] })
    onTestFinished(() => sluice.close())
    await sluice.start()
    const table = join(sluice.directory, 'fs/events/Narrow')
    const snapshot = await runScript('narrow_table.py', table)
    const server = urlOf(sluice, 'server')
    for (const id of [2, 3]) {
      const payload = {
        eventDate: hour,
        id,
        count: 2 ** 40,
        ratio: 0.1,
        part: { x: 2 ** 41 },
        counts: [2 ** 42],
        rank: id,
      }
      await sendJson(server, [{ name: 'Narrow', payload }])
      await commitAll(urlOf(sluice, 'admin'))
    }
    const { pyiceberg, duckdb } = JSON.parse(await runScript('table_facts.py', table, snapshot)) as Record<
      'pyiceberg' | 'duckdb',
      Readonly<Record<string, unknown>>
    >
    const added = (id: number) => ({
      eventDate: new Date(hour).toISOString(),
      eventGranularity: 'HOURLY',
      id: String(id),
      count: String(2 ** 40),
      ratio: 0.1,
      part: { x: String(2 ** 41) },
      counts: [String(2 ** 42)],
      // What a table sorts by stays an int, and is not among the columns of our files.
      _extra: { rank: id },
    })
    const before = {
      eventDate: '2026-11-23T07:00:00.000Z',
      id: '1',
      count: '7',
      ratio: Math.fround(0.1),
      part: { x: '8' },
      counts: ['9'],
      rank: '10',
    }
    for (const facts of [pyiceberg, duckdb])
      expect(facts).toMatchObject({ rows: [before, added(2), added(3)], before: 1, later: 2 })
    expect(pyiceberg['columns']).toEqual(
      expect.arrayContaining([
        [3, 'count', 'long'],
        [4, 'ratio', 'double'],
        [5, 'part', 'struct<8: x: optional long>'],
        [6, 'counts', 'list<long>'],
        [7, 'rank', 'int'],
      ]),
    )
    const query = 'path=/events/Narrow&columns=id,count,ratio,part,counts,rank'
    const shown = await (await fetch(`${server}/rest/1.0/text?${query}`)).text()
    expect(shown.trim().split('\r\n')).toEqual([
      '1,7,0.10000000149011612,"{""x"":8}",[9],10',
      '2,1099511627776,0.1,"{""x"":2199023255552}",[4398046511104],',
      '3,1099511627776,0.1,"{""x"":2199023255552}",[4398046511104],',
    ])
  })
})
