/** `sluice table repeats`, as people and programs see it. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { parseJson } from '../../src/formats/json.ts'
import { createDirectoryCatalog } from '../../src/tables/directory-catalog.ts'
import { expireSnapshots } from '../../src/tables/expiry/expire-snapshots.ts'
import { runCli } from '../suites/run-cli.ts'
import { addIdFile, makeIdTable, place, type Row, toId } from '../unit/compaction/id-table.ts'

const a = toId('a')

/** A data directory with a table, and what works on it. */
const makeTable = async (files: readonly (readonly Row[])[]) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-repeats-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const fileSystem: FileSystem = await createLocalFileSystem({ root: join(directory, 'fs') })
  onTestFinished(() => fileSystem.close())
  await makeIdTable(createDirectoryCatalog(fileSystem))
  for (const [i, rows] of files.entries()) await addIdFile(fileSystem, `${i}.parquet`, rows)
  const run = (...words: readonly string[]) => runCli([...words, '--set', `data.dir=${directory}`])
  return {
    directory,
    fileSystem,
    repeats: (...words: readonly string[]) => run('table', 'repeats', 'Order', ...words),
    compact: () => run('compact', 'Order'),
  }
}

const twice: readonly (readonly Row[])[] = [
  [
    [5, a, 1],
    [6, null, 2],
    [6, null, 3],
  ],
  [
    [4, toId('b'), 4],
    [5, a, 5],
  ],
]

const listed = {
  eventDate: '2026-11-22T08:15:00.005000Z',
  eventId: a,
  file: '/events/Order/1.parquet',
  position: 1,
  staysFile: '/events/Order/0.parquet',
  staysPosition: 0,
  row: { eventDate: '2026-11-22T08:15:00.005000Z', _eventId: a, n: 5 },
}

describe('sluice table repeats', { timeout: 60_000 }, () => {
  test('lists what the next compaction drops, and then what its snapshot dropped, until that is gone', async () => {
    const { repeats, compact, directory, fileSystem } = await makeTable(twice)
    const before = await repeats('--json')
    expect(before.code, before.stderr).toBe(0)
    const wanted = { repeats: 1, rows: [listed] }
    expect(parseJson(before.stdout)).toEqual({ path: '/events/Order', snapshotId: null, ...wanted, left: [] })
    const people = await repeats()
    expect(people.stdout).toMatch(/^DATE +ID +ROW +FILE +AT +STAYS +AT\n/)
    expect(people.stdout).toContain('  n=5  1.parquet   1  0.parquet   0\n')
    expect(people.stdout).toContain('\n1 row will be dropped by the next compaction\n')
    expect((await repeats('--snapshot', 'latest')).stdout).toBe('✓ no snapshot of /events/Order dropped rows\n')

    expect((await compact()).stdout).toContain('without 1 repeat')
    expect(await repeats()).toMatchObject({ code: 0, stdout: '✓ /events/Order has no row to drop\n' })
    const latest = await repeats('--snapshot', 'latest', '--json')
    expect(latest.code, latest.stderr).toBe(0)
    const { snapshotId, parent, ...rest } = Object(parseJson(latest.stdout))
    expect(rest).toEqual({ path: '/events/Order', ...wanted })
    const byId = await repeats('--snapshot', String(snapshotId), '--output', 'ndjson', '--columns', 'eventId,position')
    expect(byId.stdout).toBe(`${JSON.stringify({ eventId: a, position: 1 })}\n`)
    expect((await repeats('--snapshot', String(snapshotId))).stdout).toMatch(
      /\n1 row dropped by the snapshot \d+ of 20\d\d-/,
    )
    expect((await repeats('--snapshot', String(parent))).stdout).toMatch(/^✓ the snapshot \d+ of .* dropped no row\n$/)

    for (let n = 0; n < 9; n++) await addIdFile(fileSystem, `later-${n}.parquet`, [[6, toId(`${n}`), n]], { hour: 9 })
    const now = () => Date.now() + 1e9
    const catalog = createDirectoryCatalog(fileSystem)
    const upkeep = { fileSystem, catalog, path: place.path, olderThanMs: 1, isTrial: false, pause: async () => {} }
    await expireSnapshots({ ...upkeep, now })
    expect(await readdir(join(directory, 'fs/events/Order'))).not.toContain('0.parquet')
    const gone = await repeats('--snapshot', String(snapshotId))
    expect(gone).toMatchObject({ code: 1, stdout: '' })
    expect(gone.stderr).toMatch(
      /^✗ 1 row that the snapshot \d+ of .* dropped are gone: the snapshot before it, \d+, has expired\n/,
    )
    const goneJson = await repeats('--snapshot', 'latest', '--json')
    expect(goneJson.code).toBe(1)
    expect(parseJson(goneJson.stdout)).toMatchObject({
      repeats: 1,
      rows: [],
      gone: expect.stringMatching(/has expired$/),
    })
  })

  test('counts all, and lists as many as are wanted', async () => {
    const { repeats } = await makeTable([[[5, a, 1]], Array.from({ length: 7 }, (_, n): Row => [5, a, 10 + n])])
    const { stdout, code } = await repeats('--limit', '3')
    expect(code).toBe(0)
    expect(stdout.match(/ n=\d+ /g)).toEqual([' n=10 ', ' n=11 ', ' n=12 '])
    expect(stdout).toContain('\n7 rows, of which 3 are listed, will be dropped by the next compaction\n')
    expect((await repeats('--to', '2026-11-22T08:00:00Z')).stdout).toBe('✓ /events/Order has no row to drop\n')
  })

  test('says what is wrong', async () => {
    const { repeats, fileSystem } = await makeTable(twice)
    expect(await repeats('--snapshot', '17')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^✗ \/events\/Order has no snapshot 17\n.*table history/s),
    })
    expect(await repeats('--snapshot', 'newest')).toMatchObject({ code: 2 })
    expect(await repeats('--snapshot', '1', '--from', '7d')).toMatchObject({ code: 2 })
    expect(await repeats('--limit', '0')).toMatchObject({ code: 2 })
    await fileSystem.delete('/events/Order/1.parquet')
    const left = await repeats()
    expect(left).toMatchObject({ code: 1, stdout: '' })
    expect(left.stderr).toMatch(/2026-11-22T08:00Z: .*1\.parquet.*\n✗ 1 hour left out\n/)
  })
})
