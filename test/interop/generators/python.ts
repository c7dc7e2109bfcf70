import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { driversUrl, type Language } from './language.ts'
import { fetchBy, missingProgram, start } from './programs.ts'

/** urllib3 and pydantic, as generated. */
export const python: Language = {
  name: 'python',
  library: 'urllib3',
  options: ['-g', 'python'],
  integers: 'exact',
  limits: '',
  missing: () => missingProgram('python3', '-c', 'import ensurepip, venv'),
  build: async ({ directory, client, kept }) => {
    const environment = join(kept, 'venv')
    const program = join(environment, 'bin', 'python')
    if (!existsSync(program)) await start('python3', ['-m', 'venv', environment], { cwd: directory })
    const requirements = ['-r', join(client, 'requirements.txt')]
    const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...requirements]
    await fetchBy(program, pip, { cwd: directory })
    const driver = fileURLToPath(new URL('journey.py', driversUrl))
    const at = { cwd: directory, env: { PYTHONPATH: client } }
    return (...args) => start(program, [driver, ...args], at)
  },
}
