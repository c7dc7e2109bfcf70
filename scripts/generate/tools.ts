import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

/** TypeScript 5, for tools that need it beside the version that checks the project. */
export const typescript5 = `${here}node_modules/typescript/bin/tsc`

/** Installs what package-lock.json of this folder names, the first time that it is needed. */
export const installTools = (): void => {
  if (existsSync(typescript5)) return
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: here,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
}
