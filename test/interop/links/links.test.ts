/** Links to files, given to programs that know nothing of the server. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../../src/http/auth/auth.ts'
import { hashToken } from '../../../src/http/auth/token-callers.ts'
import { cleanUp, createDirectory, start } from '../../integration/process/child.ts'
import { describePart } from '../../suites/describe-part.ts'
import { makePythonEnvironment } from '../python-environment.ts'

const run = promisify(execFile)
const scripts = resolve('test/interop/links/python')
const environment = await makePythonEnvironment('tables', resolve('test/interop/tables/python/requirements.txt'))
const missing = 'missing' in environment ? environment.missing : undefined
const python = 'python' in environment ? environment.python : ''

const directory = createDirectory()
const log = join(directory, 'access.log')
const token = createToken()
const path = '/d x/100% ü+.parquet'
const file = join(directory, 'fs', path)
let url = ''

afterAll(cleanUp)

const startServer = async (): Promise<string> => {
  writeFileSync(join(directory, 'tokens'), `reader read sha256:${hashToken(token)}\n`)
  const server = start(process.execPath, [resolve('src/main.ts')], {
    env: {
      SLUICE_SERVICES: 'gateway',
      SLUICE_DATA_DIR: directory,
      SLUICE_AUTH_TOKENS: join(directory, 'tokens'),
      SLUICE_LOG_ACCESS: 'json',
      SLUICE_LOG_ACCESS_FILE: log,
    },
  })
  return String((await server.logged('sluice is ready'))['server'])
}

/** Statuses of the answers since, and how many bytes they had. */
const readLog = (from: number): { readonly statuses: readonly number[]; readonly bytes: number } => {
  const lines = readFileSync(log, 'utf8').slice(from).trim().split('\n')
  const answers = lines.map(line => JSON.parse(line) as { readonly status: number; readonly bytes?: number })
  return {
    statuses: [...new Set(answers.map(({ status }) => status))].sort((a, b) => a - b),
    bytes: answers.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
  }
}

describePart('python-clients', missing, 'a link to a file', () => {
  beforeAll(async () => {
    mkdirSync(dirname(file), { recursive: true })
    await run(python, [join(scripts, 'write_file.py'), file])
    url = `${await startServer()}/files${path.split('/').map(encodeURIComponent).join('/')}`
  })

  const word = String((77_777 * 2_654_435_761) % 4_294_967_291)
  test.each([
    { program: 'DuckDB', facts: [100_000, 4_999_950_000, word], share: 2 },
    { program: 'pandas', facts: [100_000, 4_999_950_000, word], share: 2 },
    { program: 'pyarrow', facts: [10_000, 749_995_000, word], share: 0.5 },
  ])('is all that $program needs to read a table', async ({ program, facts, share }) => {
    const before = readFileSync(log).length
    const { stdout } = await run(python, [join(scripts, 'read_links.py'), program, url, token])
    expect(JSON.parse(stdout)).toEqual(facts)
    const { statuses, bytes } = readLog(before)
    expect(statuses.every(status => status === 200 || status === 206)).toBe(true)
    expect(bytes).toBeLessThan(share * readFileSync(file).length)
    if (program !== 'pandas') expect(statuses).toContain(206)
  })

  test.each([
    ['curl', ['-sSf', '-C', '-', '-o']],
    ['wget', ['-q', '-c', '-O']],
  ])('lets %s go on where a download broke off', async (program, options) => {
    const got = join(directory, `${program}.parquet`)
    const whole = readFileSync(file)
    writeFileSync(got, whole.subarray(0, 12_345))
    const before = readFileSync(log).length
    await run(program, [
      ...(program === 'curl' ? ['-H'] : [`--header`]),
      `Authorization: Bearer ${token}`,
      ...options,
      got,
      url,
    ])
    expect(readFileSync(got).equals(whole)).toBe(true)
    expect(readLog(before)).toEqual({ statuses: [206], bytes: whole.length - 12_345 })
  })

  test('has the name of the file, and needs a token that may read', async () => {
    await run('curl', ['-sSfOJ', '-H', `Authorization: Bearer ${token}`, url], { cwd: directory })
    expect(readFileSync(join(directory, '100_ _+.parquet')).equals(readFileSync(file))).toBe(true)
    await expect(run('curl', ['-sSf', url])).rejects.toThrow('401')
  })
})
