import { existsSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { driversUrl, type Language } from './language.ts'
import { fetchBy, missingProgram, start } from './programs.ts'
import { compileTypescript } from './typescript.ts'

const version = '8.38.0'

/** orval's functions over `fetch`. */
export const orval: Language = {
  name: 'orval',
  library: `fetch, orval ${version}`,
  options: ["client: 'fetch'"],
  integers: 'doubles',
  limits:
    'JavaScript’s numbers, as above; headers such as `Idempotency-Key` go into the last argument. Tried for sending only',
  onlySends: true,
  missing: () => missingProgram('npm', '--version'),
  generate: async (directory, contract, kept) => {
    const program = join(kept, 'node_modules/orval')
    if (!existsSync(program)) {
      await writeFile(join(kept, 'package.json'), '{"private":true}')
      const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
      await fetchBy('npm', ['install', ...quiet, `orval@${version}`, 'typescript@5'], { cwd: kept })
    }
    const client = join(directory, 'client')
    await mkdir(client)
    await writeFile(join(directory, 'openapi.json'), contract)
    const output = { target: './client/index.ts', client: 'fetch' }
    const config = JSON.stringify({ sluice: { input: './openapi.json', output } })
    await writeFile(join(directory, 'orval.config.mjs'), `export default ${config}\n`)
    await start(join(kept, 'node_modules/.bin/orval'), ['--config', 'orval.config.mjs'], { cwd: directory })
    return client
  },
  build: async ({ directory }) => {
    await copyFile(fileURLToPath(new URL('journey-orval.ts', driversUrl)), join(directory, 'journey.ts'))
    return compileTypescript(directory)
  },
}
