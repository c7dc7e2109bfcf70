import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

/** A way to run the server. */
export type Runtime = {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** Whether a streamed answer has its `Content-Length`; Bun.serve leaves it out and sends chunks. @default true */
  readonly sendsLengths?: boolean
}

const bin = (name: string): string => resolve('node_modules/.bin', name)
const main = resolve('src/main.ts')
const native = resolve('test/interop/runtimes/native-serve.ts')

/** Each runtime with the Node edge, and those that have a server of their own with that too. */
export const runtimes: readonly Runtime[] = [
  { name: 'Node', command: [process.execPath, main] },
  { name: 'Deno', command: [bin('deno'), 'run', '-A', '--quiet', main] },
  { name: 'Deno.serve', command: [bin('deno'), 'run', '-A', '--quiet', native] },
  { name: 'Bun', command: [bin('bun'), 'run', main] },
  { name: 'Bun.serve', command: [bin('bun'), 'run', native], sendsLengths: false },
]

/** Why it cannot be run here: its package was installed without its install script, or is not for this machine. */
export const whyNot = ({ command: [program] }: Runtime): string | undefined => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return undefined
  } catch (error) {
    return `${program} does not run: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`
  }
}

/** A server that runs. */
export type RunningServer = {
  readonly url: string
  readonly adminUrl: string
  /** SIGTERM; resolves to the exit code, and removes its directory. */
  stop(): Promise<number | null>
}

/** Starts the server in a directory of its own. */
export const startRuntime = async ({ command: [program, ...args] }: Runtime): Promise<RunningServer> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-runtime-'))
  const settings = [
    'server.port=0',
    'admin.port=0',
    'collector.scribe.port=0',
    'log.format=json',
    'collector.output.format=jsonl',
  ]
  const child = spawn(program, [...args, ...settings.flatMap(one => ['--set', one])], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { server, admin } = await waitUntilReady(child)
  return {
    url: server,
    adminUrl: admin,
    stop: async () => {
      const exit = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      child.kill('SIGTERM')
      await exit
      await rm(directory, { recursive: true, force: true })
      return child.exitCode
    },
  }
}

const waitUntilReady = (child: ChildProcess): Promise<{ readonly server: string; readonly admin: string }> =>
  new Promise((done, fail) => {
    const output: string[] = []
    child.once('error', fail)
    child.once('exit', code => fail(new Error(`The server ended with ${code}:\n${output.slice(-20).join('\n')}`)))
    child.stderr?.on('data', chunk => output.push(String(chunk)))
    if (child.stdout === null) throw new Error('The server has no output')
    createInterface(child.stdout).on('line', line => {
      output.push(line)
      if (line.includes('"msg":"sluice is ready"')) done(JSON.parse(line) as { server: string; admin: string })
    })
  })
