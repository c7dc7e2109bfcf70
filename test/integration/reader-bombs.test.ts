import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openLocalStore } from '../foreign/store.ts'
import { drainFully } from '../suites/drain-fully.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

let sluice: Sluice | undefined
afterEach(async () => {
  await sluice?.close()
  sluice = undefined
})

const bombs = ['objects', 'json', 'buffers', 'split', 'exit', 'spin']

describe('S6: without any budget', () => {
  test(
    'R14: a file ends its reader and breaks off what had begun, and ends neither the server nor an event',
    endReaders,
  )
})

test('a Parquet file that unfolds far beyond its size is read apart, and breaks off nothing', async () => {
  const lines: string[] = []
  sluice = await createSluice({
    settings: ['gateway.readers=1', 'log.level=debug'],
    onLine: line => lines.push(line),
  })
  const files = join(sluice.directory, 'fs', 'files')
  mkdirSync(files, { recursive: true })
  copyFileSync('test/fuzz/corpus/parquet/many-rows.bin', join(files, 'swell.parquet'))
  writeFileSync(join(files, 'rows.txt'), 'a\tb\n')
  await sluice.start()
  const server = sluice.urls()?.['server'] ?? ''
  const starts = () => lines.filter(line => line.includes('"a reader starts"')).length
  const read = async (name: string): Promise<void> => {
    const answer = await fetch(`${server}/rest/1.0/json?path=/files/${name}`)
    await answer.text().catch(() => '')
  }
  await read('rows.txt')
  await expect.poll(starts).toBe(1)
  await read('swell.parquet')
  await expect.poll(starts).toBe(2)
})

async function endReaders(): Promise<void> {
  const crashes: unknown[] = []
  const lines: string[] = []
  sluice = await createSluice({
    settings: [`io.row.serializations=${resolve('test/fixtures/rows/modules/bombs.js')}`],
    onCrash: (...how) => crashes.push(how),
    onLine: line => lines.push(line),
  })
  const files = join(sluice.directory, 'fs', 'files')
  mkdirSync(files, { recursive: true })
  for (const name of [...bombs, 'hold']) writeFileSync(join(files, `${name}.bomb`), 'x')
  writeFileSync(join(files, 'rows.txt'), 'a\tb\n')
  await sluice.start()
  const server = sluice.urls()?.['server'] ?? ''
  const read = async (name: string): Promise<Response> => await fetch(`${server}/rest/1.0/json?path=/files/${name}`)
  const load = sluice.load(4)
  for (const kind of bombs) {
    const begun = await read('hold.bomb')
    const [bomb, ...others] = await Promise.all([read(`${kind}.bomb`), read('rows.txt'), read('rows.txt')])
    expect([kind, bomb.status]).toEqual([kind, 422])
    expect(await bomb.json()).toMatchObject({
      code: 'unreadable',
      detail: expect.stringMatching(`^"/files/${kind}\\.bomb" cannot be read: its reader process `),
    })
    expect(others.map(({ status }) => status)).toEqual([200, 200])
    // The rows before it are not a whole answer.
    await expect(begun.text()).rejects.toThrow()
    await sluice.acknowledged(100)
    expect(crashes).toEqual([])
  }
  await load.stop()
  await drainFully(sluice)
  const { lost, twice, unknown } = await sluice.reckon(openLocalStore(join(sluice.directory, 'fs')))
  expect({ lost, twice, unknown }).toEqual(allIsWell)
  expect(lines.filter(line => line.includes('"a reader ended"')).length).toBeGreaterThanOrEqual(2 * bombs.length)
}
