import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A server as a process of its own. */
export type Child = {
  readonly process: ChildProcess
  /** All of standard output and standard error so far. */
  output(): string
  /** Waits for a log line with this message, and returns its fields. Fails when the process ends before. */
  logged(message: string): Promise<Readonly<Record<string, unknown>>>
  /** Waits for the end: `0`, or `SIGKILL`. */
  ended(): Promise<number | NodeJS.Signals | null>
}

/** The stub around the real process; see there. */
export const stub = resolve('test/integration/process/stub-server.ts')

const children = new Set<ChildProcess>()
const directories: string[] = []

/** A directory that `cleanUp` removes. */
export const createDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-process-'))
  directories.push(directory)
  return directory
}

/** Starts a program in an empty directory, with JSON lines as its log, on ports that are free. */
export const start = (
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Child => {
  const env = {
    ...process.env,
    SLUICE_LOG_FORMAT: 'json',
    SLUICE_SERVER_PORT: '0',
    SLUICE_ADMIN_PORT: '0',
    SLUICE_COLLECTOR_SCRIBE_PORT: '0',
    ...options.env,
  }
  const child = spawn(command, args, { cwd: options.cwd ?? createDirectory(), env, stdio: ['pipe', 'pipe', 'pipe'] })
  children.add(child)
  let output = ''
  let isEnded = false
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const one of waiting) one()
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output += String(chunk)
      wake()
    })
  }
  child.on('close', () => {
    isEnded = true
    children.delete(child)
    wake()
  })
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((done, fail) => {
      const look = (): void => {
        const found = find()
        if (found === undefined && !isEnded) return
        waiting.delete(look)
        if (found === undefined) fail(new Error(`The process ended early:\n${output}`))
        else done(found)
      }
      waiting.add(look)
      look()
    })
  return {
    process: child,
    output: () => output,
    logged: message => until(() => toLogLines(output).find(line => line['msg'] === message)),
    ended: () =>
      until(() => (isEnded ? { code: child.exitCode ?? child.signalCode } : undefined)).then(({ code }) => code),
  }
}

/** Ends what a failed test left behind. */
export const cleanUp = (): void => {
  for (const child of children) child.kill('SIGKILL')
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
}

/** A terminal shows a Ctrl-C as `^C`, in front of the next line. */
const toLogLines = (output: string): Readonly<Record<string, unknown>>[] =>
  output
    .split('\n')
    .slice(0, -1)
    .flatMap(line => /\{.*\}/.exec(line)?.[0] ?? [])
    .map(json => JSON.parse(json))
