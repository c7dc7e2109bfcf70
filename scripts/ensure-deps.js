// Runs before anything is installed, on whatever Node there is (18 or newer): plain JavaScript, no dependencies.
// Installs what package-lock.json names when node_modules does not match it: `run` (for `npm start`) only what the server
// runs on, and no install scripts; `all` (for `npm test`) everything. Two first runs at once (`npm start` in one terminal,
// `npm test` in another) must not both install: the second waits for the first.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

const stamp = 'node_modules/.lock-hash'
const busy = '.installing.tmp'
const staleAfterMs = 10 * 60_000
const lockHash = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex')

const all = { stamp: lockHash, args: ['--include=dev'] }
const run = { stamp: `${lockHash} run`, args: ['--omit=dev', '--ignore-scripts'] }
const wanted = process.argv[2] === 'run' ? run : all

const isInstalled = () => {
  const found = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  // Everything is more than what a run needs.
  return found === all.stamp || found === wanted.stamp
}

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
    const args = ['ci', ...wanted.args, '--include=optional', '--loglevel=error', '--no-audit', '--no-fund']
    const { status } = spawnSync('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
    if (status !== 0) process.exitCode = status ?? 1
    else writeFileSync(stamp, wanted.stamp)
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
