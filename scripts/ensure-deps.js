// Runs before anything is installed, on whatever Node there is (18 or newer): plain JavaScript, no dependencies.
// Installs what package-lock.json names when node_modules does not match it: `run` (for `npm start`) only what the server
// runs on, and no install scripts; `all` (for `npm test`) everything. Each script of package.json has it in front. Two first
// runs at once (`npm start` in one terminal, `npm test` in another) must not both install: the second waits for the first.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'

const stamp = 'node_modules/.lock-hash'
const busy = '.installing.tmp'
const staleAfterMs = 10 * 60_000
const lockHash = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex')

const all = { stamp: lockHash, args: ['--include=dev'] }
const run = { stamp: `${lockHash} run`, args: ['--omit=dev', '--ignore-scripts'] }
const wanted = process.argv[2] === 'run' ? run : all

const isInstalled = () => {
  // A link leads to what another checkout has installed: `npm ci` would empty it under that one.
  if (lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink()) return true
  const found = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  // Everything is more than what a run needs.
  return found === all.stamp || found === wanted.stamp
}

/** npm 10 leaves out the link to the Node that is a package, by which all scripts find it. */
const linkNode = () => {
  const target = `../node-${process.platform}-${process.arch}/bin/node`
  if (existsSync('node_modules/.bin/node') || !existsSync(`node_modules/.bin/${target}`)) return
  symlinkSync(target, 'node_modules/.bin/node')
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
    const args = [
      'ci',
      ...wanted.args,
      '--include=optional',
      '--no-dry-run',
      '--loglevel=error',
      '--no-audit',
      '--no-fund',
    ]
    const { status } = spawnSync('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
    if (status !== 0) process.exitCode = status ?? 1
    else {
      linkNode()
      writeFileSync(stamp, wanted.stamp)
    }
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
