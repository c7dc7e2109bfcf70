/**
 * C5: files by software of others, and every value of their rows (JSON, CSV, chosen columns, `where`), which pyarrow, DuckDB
 * and fastavro judge. `python/oracle.py` writes, asks and compares.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describePart } from '../../suites/describe-part.ts'
import { createSluice, type Sluice } from '../../suites/sluice-process.ts'
import { makePythonEnvironment } from '../python-environment.ts'

const python = join(import.meta.dirname, 'python')
const made = await makePythonEnvironment('files', join(python, 'requirements.txt'))

/** So many files; the seeds differ from run to run, unless the first one is given. */
const seeds = Number(process.env['SLUICE_TEST_FILE_SEEDS'] ?? 70)
const firstSeed = Number(process.env['SLUICE_TEST_FILE_SEED'] ?? Date.now() % 1_000_000_000)
const minutes = Number(process.env['SLUICE_TEST_FILE_MINUTES'] ?? 10)

/** A folder of Parquet and Avro files of the world, such as parquet-testing. */
const realFiles = process.env['SLUICE_REAL_FILES']
const noRealFiles =
  realFiles === undefined || !existsSync(realFiles) ? 'SLUICE_REAL_FILES names no folder of files' : undefined

type Counts = Readonly<Record<'files' | 'rows' | 'values' | 'unwritten' | 'different', number>>

const describeFiles = (name: string, body: () => void): void =>
  describePart('readers', 'missing' in made ? made.missing : undefined, name, body)

describeFiles('C5: files by others are read:', () => {
  let directory: string
  let sluice: Sluice

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-files-'))
    sluice = await createSluice({ directory })
    await sluice.start()
  })
  afterAll(async () => {
    await sluice?.close()
    await rm(directory, { recursive: true, force: true })
  })

  /** What differs, and the counts of the last line. */
  const run = async (...args: readonly string[]): Promise<{ readonly printed: string; readonly counts: Counts }> => {
    const url = String(sluice.urls()?.['server'])
    const files = [join(directory, 'fs', 'oracle'), '/oracle']
    const command = [join(python, 'oracle.py'), url, ...files, ...args]
    const { stdout } = await promisify(execFile)('python' in made ? made.python : '', command, {
      maxBuffer: 1 << 28,
    }).catch((error: Error & { readonly stdout?: string }) => ({ stdout: error.stdout ?? error.message }))
    const lines = stdout.trimEnd().split('\n')
    return { printed: lines.slice(0, -1).join('\n'), counts: JSON.parse(lines.at(-1) ?? '') as Counts }
  }

  test(`${seeds} files of pyarrow, DuckDB and fastavro from seed ${firstSeed} on`, {
    timeout: minutes * 60_000 + 60_000,
  }, async () => {
    const { printed, counts } = await run('--first', `${firstSeed}`, '--seeds', `${seeds}`, '--minutes', `${minutes}`)
    console.log(JSON.stringify(counts))
    expect(printed).toBe('')
    expect(counts.different).toBe(0)
    // A schema that its writer refuses gives no file; most are written.
    expect(counts.files).toBeGreaterThan(counts.unwritten)
  })

  test.skipIf(noRealFiles)(
    `files of the world${noRealFiles === undefined ? '' : `: ${noRealFiles}`}`,
    { timeout: 600_000 },
    async () => {
      const { printed, counts } = await run('--files', String(realFiles))
      console.log(JSON.stringify(counts))
      expect(printed.split('\n').filter(line => line.startsWith('DIFFERENT'))).toEqual([])
      expect(counts.files).toBeGreaterThan(0)
    },
  )
})
