// Runs before anything is installed, on whatever Node there is (18 or newer): plain JavaScript, no dependencies.
// Installs what package-lock.json names when node_modules does not match it. Two first runs at once (`npm start` in
// one terminal, `npm test` in another) must not both install: the second waits for the first.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

const stamp = 'node_modules/.lock-hash'
const busy = '.installing.tmp'
const staleAfterMs = 10 * 60_000
const lockHash = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex')

const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash

const enter = () => {
  try {
    mkdirSync(busy)
    return true
  } catch {
    if (Date.now() - (statSync(busy, { throwIfNoEntry: false })?.mtimeMs ?? 0) > staleAfterMs) {
      rmSync(busy, { recursive: true, force: true })
    }
    return false
  }
}

while (!isInstalled()) {
  if (!enter()) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250)
    continue
  }
  try {
    console.error('Installing dependencies (only the first time, and after they change) ...')
    const args = ['ci', '--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund']
    const { status } = spawnSync('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
    if (status !== 0) process.exitCode = status ?? 1
    else writeFileSync(stamp, lockHash)
  } finally {
    rmSync(busy, { recursive: true, force: true })
  }
  if (process.exitCode) process.exit()
}

// npm puts node_modules/.bin first in PATH, so this asks the Node that the next command will run on.
const { stdout } = spawnSync('node', ['-p', 'process.features.typescript ? "" : process.version'], { encoding: 'utf8' })
if (stdout.trim() !== '') {
  console.error(
    `Sluice needs Node 22.22 or newer. This is ${stdout.trim()}, and npm has no Node for ${process.platform} ${process.arch}.`,
  )
  process.exit(1)
}
