import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { nodeOptions } from '../suites/start-command.ts'

/** Which core a process runs on: what is measured on one, what drives it on another; both where nothing drives it. */
export type Core = 'server' | 'load' | 'both'

/** A Node process with the script and arguments given; one that is measured gets the options of `npm start`. */
export type Script = {
  readonly script: string
  readonly args: readonly string[]
  readonly nodeArgs?: readonly string[]
  readonly core: Core
  readonly cwd: string
}

/** A process of another program, by its path or its name on the `PATH`. */
export type Program = {
  readonly program: string
  readonly args: readonly string[]
  readonly core: Core
  readonly cwd: string
}

/** A process under way, and the first of its output lines that was waited for. */
export type Running = {
  readonly pid: number
  readonly line: string
  /** Ends it; resolves when it is gone. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** What Node gets for a profile, where one is wanted. */
export const toProfileArgs = (profileDirectory: string | undefined): readonly string[] =>
  profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`]

const startTimeoutMs = 60_000

const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Whether processes get a core of their own each: with `taskset` and at least two cores. */
export const isPinned = ((): boolean => {
  if (availableParallelism() < 2) return false
  try {
    execFileSync('taskset', ['-c', '0,1', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/**
 * Starts a process and waits for the line of its output that `isWanted` takes.
 * @throws Error with what it printed, when it ends before or takes too long
 */
export const start = async (what: Script | Program, isWanted: (line: string) => boolean): Promise<Running> => {
  const child = launch(what)
  const lines: string[] = []
  const timer = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs)
  try {
    const line = await new Promise<string>((resolve, reject) => {
      const read = (text: string): void => {
        if (isWanted(text)) resolve(text)
        else if (lines.length < 50) lines.push(text)
      }
      if (child.stdout) createInterface(child.stdout).on('line', read)
      if (child.stderr) createInterface(child.stderr).on('line', read)
      child.once('error', reject)
      child.once('close', () => reject(new Error(`${nameOf(what)} ended early:\n${lines.join('\n')}`)))
    })
    const ended = once(child, 'close')
    return {
      line,
      pid: child.pid ?? 0,
      stop: async signal => {
        child.kill(signal)
        await ended
      },
    }
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs a process that prints one line of JSON, to its end.
 * @throws Error when it fails or prints none within the time
 */
export const runToEnd = async (what: Script | Program, timeoutMs: number): Promise<unknown> => {
  const child = launch(what)
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  let output = ''
  let errors = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  if (code !== 0) throw new Error(`${nameOf(what)} ended with ${code ?? signal}:\n${errors}`)
  return JSON.parse(output)
}

const nameOf = (what: Script | Program): string => ('script' in what ? what.script : what.program)

/** What is measured may have other cores than the first: `SLUICE_TEST_CORES`, a list as `taskset` takes it. */
const cores: Record<Core, string> = { server: process.env['SLUICE_TEST_CORES'] ?? '0', load: '1', both: '0,1' }

const launch = (what: Script | Program): ChildProcess => {
  const { core, cwd } = what
  const command = 'script' in what ? toNodeCommand(what) : [what.program, ...what.args]
  const [file = '', ...rest] = isPinned ? ['taskset', '-c', cores[core], ...command] : command
  const child = spawn(file, rest, { cwd, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  child.once('close', () => children.delete(child))
  return child
}

const toNodeCommand = ({ script, args, nodeArgs = [], core }: Script): readonly string[] => [
  process.execPath,
  ...(core === 'load' ? [] : nodeOptions),
  ...nodeArgs,
  script,
  ...args,
]

/** Settings of this shell must not change what is measured. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_')))
