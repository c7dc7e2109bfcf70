/**
 * Files below a directory that `sluice compact` made one, by readers of other make: only they can tell whether schema, levels, values
 * and bounds mean to others what the old ones meant.
 */
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describePart } from '../../suites/describe-part.ts'
import { runCli } from '../../suites/run-cli.ts'
import { missing, runScript } from './run-script.ts'

type Facts = Readonly<Record<'pyarrow' | 'duckdb', Readonly<Record<string, string | readonly string[]>>>> & {
  readonly files: Readonly<Record<string, number>>
}

describePart('readers', missing, 'compacted files', () => {
  test('have the same rows, types and bounds for pyarrow and DuckDB', { timeout: 600_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-small-files-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const logs = join(directory, 'fs/logs')
    await runScript('small_files.py', 'make', logs)
    const old = new Date(Date.now() - 3 * 3_600_000)
    for (const name of await readdir(logs, { recursive: true })) await utimes(join(logs, name), old, old)
    const readFacts = async (): Promise<Facts> => JSON.parse(await runScript('small_files.py', 'rows', logs)) as Facts
    const before = await readFacts()
    expect(before.files).toEqual({ parquet: 5, int96: 5, json: 5 })
    const { code, stdout, stderr } = await runCli([
      'compact',
      '/logs',
      '--yes',
      '--json',
      '--set',
      `data.dir=${directory}`,
    ])
    expect(code, stdout + stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ files: 15, becomes: 3, left: [] })
    const after = await readFacts()
    expect(after.files).toEqual({ parquet: 1, int96: 1, json: 1 })
    for (const reader of ['pyarrow', 'duckdb'] as const)
      for (const [what, facts] of Object.entries(before[reader]))
        expect(after[reader][what], `${reader} ${what}`).toEqual(facts)
  })
})
