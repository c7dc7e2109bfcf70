#!/usr/bin/env node
// Plain JavaScript: starts on any Node from 18, takes dist/ where it is and the sources otherwise, and hands over to
// the Node in node_modules when this one cannot run them.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = new URL('..', import.meta.url)
const [command, ...words] = process.argv.slice(2)
// The server is no part of the command line, which only shows its help.
const isServer = command === 'serve' && !words.some(word => word === '--help' || word === '-h')
const entries = isServer ? ['dist/src/main.js', 'src/main.ts'] : ['dist/admin/cli/main.js', 'admin/cli/main.ts']
const entry = entries.map(path => new URL(path, root)).find(existsSync)
// In a clone the first command installs what it needs, as `npm start` does.
const ensureDeps = fileURLToPath(new URL('scripts/ensure-deps.js', root))
if (entry?.pathname.endsWith('.ts') && existsSync(ensureDeps) && !existsSync(new URL('node_modules', root))) {
  const { status } = spawnSync(process.execPath, [ensureDeps, 'run'], {
    cwd: fileURLToPath(root),
    env: {
      ...process.env,
      PATH: `${fileURLToPath(new URL('node_modules/.bin', root))}${delimiter}${process.env.PATH}`,
    },
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(status ?? 1)
}
// In a clone, or in a package that brings its own dependencies; then in the package that depends on this one.
const node = ['node_modules/.bin/node', '../.bin/node']
  .map(path => fileURLToPath(new URL(path, root)))
  .find(path => existsSync(path) && realpathSync(path) !== realpathSync(process.execPath))
const isSource = entry?.pathname.endsWith('.ts')
const [major, minor] = process.versions.node.split('.').map(Number)
const isTooOld = isSource ? !process.features.typescript : major < 22 || (major === 22 && minor < 22)

const fail = message => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** Runs the same command on another Node. A Ctrl-C may reach it twice, which it counts as one. */
const handOver = () => {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', error => fail(`sluice cannot start ${node}: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

/**
 * What the engine must know before it runs, as `npm start` says it: one thread collects garbage beside the one that serves,
 * young objects get room enough to die young, and none is made old at birth.
 */
const readEngineOptions = () => JSON.parse(readFileSync(new URL('engine-options.json', import.meta.url), 'utf8'))
// Deno, Bun and Windows cannot start a process anew as itself; there the server runs without.
const canRestart = process.execve !== undefined && process.platform !== 'win32' && !process.versions.bun
const lacksOptions = isServer && canRestart && !readEngineOptions().every(one => process.execArgv.includes(one))

/** Options of the user come last, and so count. */
const restart = () => {
  const { execPath, execArgv, argv, env } = process
  process.execve(execPath, [execPath, ...readEngineOptions(), ...execArgv, ...argv.slice(1)], env)
}

/** As oclif would say it, which takes three times as long to load. */
const version = () => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  return `sluice/${version} ${process.platform}-${process.arch} node-${process.version}`
}

if (['--version', '-v', 'version'].includes(command)) process.stdout.write(`${version()}\n`)
else if (entry === undefined) fail('sluice is not complete: neither dist/ nor its sources are here.')
else if (!isTooOld && lacksOptions) restart()
else if (!isTooOld) {
  // Beside the code, since who can write there could change that as well; where nobody can, it does without.
  module.enableCompileCache?.(fileURLToPath(new URL('node_modules/.cache/sluice', root)))
  if (isServer) process.argv.splice(2, 1)
  await import(entry.href)
} else if (node !== undefined) handOver()
else fail(`sluice needs Node 22.22 or newer; this is ${process.version}.`)
