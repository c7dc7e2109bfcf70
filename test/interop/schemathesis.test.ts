import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { doorNames } from '../../src/collector/doors/door-names.ts'
import { startServer } from '../integration/clients/server.ts'
import { isRequired } from '../suites/hdfs.ts'
import { isEveryCase } from '../suites/stride.ts'
import { cache } from './generators/openapi-generator.ts'
import { CannotFetch, fetchBy, missingProgram, start } from './generators/programs.ts'

/** From PyPI. */
const version = '4.32.5'
/** Cases of each kind for each operation; a release run takes 20. */
const examples = isEveryCase ? 20 : 4

test('the server does what its contract says, of requests that fit it and of others', {
  timeout: 1_200_000,
}, async context => {
  const missing = await missingProgram('python3', '-c', 'import ensurepip, venv')
  if (missing !== undefined) {
    if (isRequired('generators')) throw new Error(`SLUICE_REQUIRE has "generators", but ${missing}`)
    context.skip(missing)
  }
  const program = await install().catch((error: unknown) => {
    if (!(error instanceof CannotFetch) || isRequired('generators')) throw error
    return context.skip(`no schemathesis: ${error.message}`)
  })
  const server = await startServer(`collector.doors=${doorNames.join(',')}`)
  const cwd = await mkdtemp(join(tmpdir(), 'sluice-schemathesis-'))
  try {
    const config = ['--config-file', resolve('test/interop/schemathesis.toml')]
    const phases = ['--phases', 'examples,coverage,fuzzing', '--generation-deterministic', '--no-shrink']
    const bounds = ['-n', String(examples), '--continue-on-failure', '--output-truncate', 'true']
    const patience = ['--request-timeout', '60']
    const args = [...config, 'run', `${server.url}/openapi.json`, ...phases, ...bounds, ...patience]
    // It fails when one check does; all operations there are were tried.
    expect(await start(program, args, { cwd })).toMatch(/Operations: +(\d+) selected \/ \1 total[\s\S]*Tested: \1\n/)
  } finally {
    await server.close()
    await rm(cwd, { recursive: true, force: true })
  }
})

const install = async (): Promise<string> => {
  const environment = join(cache, `schemathesis-${version}`)
  const program = join(environment, 'bin', 'schemathesis')
  if (existsSync(program)) return program
  await start('python3', ['-m', 'venv', environment], { cwd: '.' })
  const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', `schemathesis==${version}`]
  await fetchBy(join(environment, 'bin', 'python'), pip, { cwd: '.' })
  return program
}
