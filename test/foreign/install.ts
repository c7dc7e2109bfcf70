import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const busy = `${here}.installing.tmp`

/**
 * Installs the packages of this folder when they are first needed. Test files run at the same time: one installs, the
 * others wait for it.
 */
export const installForeign = async (): Promise<void> => {
  while (!existsSync(`${here}node_modules/.package-lock.json`)) {
    try {
      mkdirSync(busy)
    } catch {
      await new Promise(resolve => setTimeout(resolve, 200))
      continue
    }
    try {
      execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
        cwd: here,
        stdio: ['ignore', 2, 2],
      })
    } finally {
      rmdirSync(busy)
    }
  }
}
