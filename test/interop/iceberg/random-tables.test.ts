/** Rows of tables that pyiceberg made and changed at random, as the gateway, pyiceberg and DuckDB have them. */
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import { parseJson } from '../../../src/formats/json.ts'
import { isObject, toMembers } from '../../../src/formats/members.ts'
import type { Value } from '../../../src/formats/number.ts'
import { describePart } from '../../suites/describe-part.ts'
import { createTestGateway, type TestGateway } from '../../suites/gateway.ts'
import { makePythonEnvironment } from '../python-environment.ts'

const environment = await makePythonEnvironment('tables', resolve('test/interop/tables/python/requirements.txt'))
const missing = 'missing' in environment ? environment.missing : undefined
const python = 'python' in environment ? environment.python : ''

type Made = {
  readonly name: string
  readonly schema: string
  readonly rows: readonly Value[]
  /** The number of rows, or why it is unknown. */
  readonly duckdb: number | string
  /** With the numbers of the rows that match. */
  readonly comparisons: readonly { readonly where: string; readonly rows: readonly number[] }[]
}

const makeTables = async (directory: string, seed: number, count: number): Promise<readonly Made[]> => {
  const script = resolve('test/interop/iceberg/python/random_tables.py')
  const { stdout } = await promisify(execFile)(python, [script, directory, String(seed), String(count)], {
    maxBuffer: 1e8,
    env: { ...process.env, PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1', TZ: 'UTC' },
  })
  return stdout
    .trim()
    .split('\n')
    .map(line => parseJson(line) as unknown as Made)
}

const read = async ({ call }: TestGateway, name: string, where = ''): Promise<readonly string[]> => {
  const query = where === '' ? '' : `&where=${encodeURIComponent(where)}`
  const answer = await call(`/rest/1.0/json?path=/${name}&nulls=true${query}`)
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  const { entries } = parseJson(text) as { entries: { [name: string]: Value }[] }
  expect(entries.map(({ error }) => error)).toEqual(entries.map(() => undefined))
  return entries.flatMap(({ content }) => (content as Value[]).map(toText))
}

/** A row as both sides have it. */
const toText = (value: Value): string => JSON.stringify(toPlain(value))

const toPlain = (value: Value): unknown => {
  if (value === null || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(toPlain)
  if (isObject(value)) {
    const { names, values } = toMembers(value)
    return names.map((name, i) => [name, toPlain(values[i] ?? null)])
  }
  return toPlainText(String(value))
}

/** Equal numbers have the same text, and NaN and the infinities have JavaScript's words. */
const toPlainText = (text: string): string => {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? []
  if (whole === '') return { nan: 'NaN', inf: 'Infinity', '-inf': '-Infinity' }[text] ?? text
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  return short === '' ? '0' : `${sign}${short}e${Number(power) - fraction.length + digits.length - short.length}`
}

/** Texts that others lack, or have less often. */
const without = (texts: readonly string[], others: readonly string[]): readonly string[] => {
  const left = [...others]
  return texts.filter(text => {
    const at = left.indexOf(text)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

describePart('python-clients', missing, 'tables at random', () => {
  test('rows, and those of them that match, are those that pyiceberg has', async () => {
    const seed = Number(process.env['SLUICE_TEST_SEED'] ?? randomInt(2 ** 31))
    const directory = mkdtempSync(join(tmpdir(), 'sluice-tables-'))
    const made = await makeTables(directory, seed, Number(process.env['SLUICE_TEST_TABLES'] ?? 24))
    const gateway = await createTestGateway({
      fileSystem: await createLocalFileSystem({ root: directory }),
      settings: ['gateway.readers=0'],
    })
    try {
      const faults: unknown[] = []
      const compare = async ({ name, schema }: Made, expected: readonly string[], where = ''): Promise<void> => {
        const found = await read(gateway, name, where)
        const [missed, wrong] = [without(expected, found), without(found, expected)]
        if (missed.length + wrong.length > 0) faults.push({ name, schema, where, missed, wrong })
      }
      for (const table of made) {
        const texts = table.rows.map(toText)
        await compare(table, texts)
        for (const { where, rows } of table.comparisons)
          await compare(
            table,
            rows.map(row => texts[row] ?? ''),
            where,
          )
        if (table.duckdb !== texts.length) faults.push({ name: table.name, duckdb: table.duckdb })
      }
      expect(faults, `seed ${seed}`).toEqual([])
    } finally {
      await gateway.close()
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
