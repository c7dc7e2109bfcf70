import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const busy = `${here}.installing.tmp`
/** What was installed: the lock file as it was then. */
const stamp = `${here}node_modules/.installed-lock.json`

/**
 * Installs the packages of this folder when they are first needed, and after they change. Test files run at the same time:
 * one installs, the others wait for it.
 */
export const installForeign = async (): Promise<void> => {
  const wanted = readFileSync(`${here}package-lock.json`, 'utf8')
  while (readText(stamp) !== wanted) {
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
      writeFileSync(stamp, wanted)
    } finally {
      rmdirSync(busy)
    }
  }
}

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
