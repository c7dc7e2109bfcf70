/** One process of a server: started with its output in a log file, stopped for certain. */
import { type ChildProcess, spawn } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

export type DaemonOptions = {
  readonly command: string
  readonly args: readonly string[]
  /** Variables beside those of this process. @default none */
  readonly env?: Readonly<Record<string, string>>
  readonly logFile: string
  /** Lives on after this process (`npm run hdfs`); otherwise it ends with this process, however that ends. */
  readonly detached: boolean
}

export type Daemon = {
  readonly pid: number
  /** Whether it ended, and how; undefined while it runs. */
  readonly ended: () => string | undefined
  /** Resolves when it has ended by itself or by {@link Daemon.kill}. */
  readonly exit: Promise<void>
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>
}

/**
 * A shell around the daemon that ends it when the shell's input closes. The kernel closes that pipe when this process
 * dies, by `kill -9` as well, so that no daemon is left behind by an interrupted test run.
 */
const guard = 'exec 3<&0; "$@" 3<&- </dev/null & pid=$!; (cat <&3 >/dev/null; kill -9 $pid 2>/dev/null) & wait $pid'

/** Starts a daemon; its output goes to `logFile`. */
export const startDaemon = async ({ command, args, env, logFile, detached }: DaemonOptions): Promise<Daemon> => {
  const log = await open(logFile, 'a')
  try {
    const stdio = [detached ? 'ignore' : 'pipe', log.fd, log.fd] as const
    const options = { stdio: [...stdio], env: { ...process.env, ...env } }
    const child = detached
      ? spawn(command, args, { ...options, detached: true })
      : spawn('sh', ['-c', guard, 'sh', command, ...args], options)
    return await watch(child, detached)
  } finally {
    await log.close()
  }
}

/** Whether `pid` is a process whose command line has `marker`: a number alone may have been reused. */
export const isRunning = async (pid: number, marker: string): Promise<boolean> => {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => commandOf(pid))
  return command.includes(marker)
}

/** Ends a detached daemon of an earlier run: politely, and after five seconds by force. */
export const stopByPid = async (pid: number, marker: string): Promise<void> => {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (!(await isRunning(pid, marker))) return
    if (attempt === 0) process.kill(pid, 'SIGTERM')
    if (attempt === 50) process.kill(pid, 'SIGKILL')
    await sleep(100)
  }
  throw new Error(`Cannot stop process ${pid}: it is still running after 10 seconds`)
}

const watch = async (child: ChildProcess, detached: boolean): Promise<Daemon> => {
  let ended: string | undefined
  const exit = new Promise<void>(done => {
    child.once('exit', (code, signal) => {
      ended = signal ? `signal ${signal}` : `exit code ${code}`
      done()
    })
  })
  await new Promise<void>((done, fail) => {
    child.once('spawn', done)
    child.once('error', fail)
  })
  child.stdin?.on('error', () => {})
  return {
    pid: child.pid ?? -1,
    ended: () => ended,
    exit,
    async kill() {
      if (ended !== undefined) return
      if (detached) child.kill('SIGKILL')
      else child.stdin?.destroy()
      await exit
    },
  }
}

const commandOf = (pid: number): Promise<string> =>
  new Promise(done => {
    let text = ''
    const child = spawn('ps', ['-o', 'args=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] })
    child.stdout.on('data', data => {
      text += String(data)
    })
    child.on('error', () => done(''))
    child.on('close', () => done(text))
  })
