/**
 * A table that `sluice compact` rewrote, by readers of other make: of files that pyarrow wrote, with every type. Only they can tell
 * whether the new file, its ids, levels and manifests mean to others what the old ones meant.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describePart } from '../../suites/describe-part.ts'
import { runCli } from '../../suites/run-cli.ts'
import { missing, runScript } from './run-script.ts'

type Facts = {
  readonly pyiceberg: readonly string[]
  readonly duckdb: readonly string[]
  readonly files: readonly string[]
  readonly operation: string
}

describePart('readers', missing, 'a compacted table', () => {
  let directory: string
  let table: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-compaction-'))
    table = join(directory, 'fs/events/Typed')
  })
  afterEach(() => rm(directory, { recursive: true }))

  const sluice = async (...words: readonly string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await runCli([...words, '--json', '--set', `data.dir=${directory}`])
    expect(code, stdout + stderr).toBe(0)
    return JSON.parse(stdout)
  }
  const readFacts = async (): Promise<Facts> => JSON.parse(await runScript('typed_table.py', 'rows', table)) as Facts

  test('has the same rows for pyiceberg and DuckDB, each value as it was', { timeout: 600_000 }, async () => {
    await runScript('typed_table.py', 'make', table)
    expect(await sluice('table', 'import', 'Typed')).toMatchObject({ files: 6, rows: 360, left: [] })
    const before = await readFacts()
    expect(before.duckdb).toHaveLength(360)
    expect(await sluice('compact', 'Typed', '--dry-run')).toMatchObject({ files: 6, becomes: 1, rows: 360 })
    expect(await sluice('compact', 'Typed')).toMatchObject({ files: 6, becomes: 1, rows: 360, left: [] })
    const after = await readFacts()
    expect(after).toMatchObject({
      files: [expect.stringContaining('/data/eventDate_hour=2026-11-22-08/')],
      operation: 'replace',
    })
    for (const reader of ['pyiceberg', 'duckdb'] as const) {
      const unlike = before[reader].flatMap((row, i) => (row === after[reader][i] ? [] : [row, after[reader][i]]))
      expect(unlike.slice(0, 4), reader).toEqual([])
    }
    expect(await sluice('table', 'check', 'Typed')).toMatchObject({ files: 1, rows: 360, problems: 0 })
    // Files that were rewritten are not added again.
    expect(await sluice('table', 'import', 'Typed')).toMatchObject({ files: 0, known: 6 })
    expect(await sluice('compact', 'Typed')).toMatchObject({ files: 0 })
  })
})
