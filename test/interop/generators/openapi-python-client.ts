import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { driversUrl, type Language } from './language.ts'
import { fetchBy, missingProgram, start } from './programs.ts'

const version = '0.29.1'

/** httpx and attrs. */
export const openapiPythonClient: Language = {
  name: 'openapi-python-client',
  library: `httpx, openapi-python-client ${version}`,
  options: ['generate'],
  integers: 'exact',
  limits: 'tried for sending only',
  onlySends: true,
  missing: () => missingProgram('python3', '-c', 'import ensurepip, venv'),
  generate: async (directory, contract, kept) => {
    const program = join(kept, 'venv/bin/python')
    if (!existsSync(join(kept, 'venv/bin/openapi-python-client'))) {
      await start('python3', ['-m', 'venv', '--clear', join(kept, 'venv')], { cwd: kept })
      const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check']
      await fetchBy(program, [...pip, `openapi-python-client==${version}`], { cwd: kept })
    }
    await writeFile(join(directory, 'openapi.json'), contract)
    const client = join(directory, 'client')
    const args = ['generate', '--path', 'openapi.json', '--output-path', client, '--meta', 'none']
    await start(join(kept, 'venv/bin/openapi-python-client'), args, { cwd: directory })
    return client
  },
  build: async ({ directory, kept }) => {
    const driver = fileURLToPath(new URL('journey-openapi-python-client.py', driversUrl))
    const at = { cwd: directory, env: { PYTHONPATH: directory } }
    return (...args) => start(join(kept, 'venv/bin/python'), [driver, ...args], at)
  },
}
