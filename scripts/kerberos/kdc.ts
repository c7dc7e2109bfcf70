/** A Kerberos realm on this machine, with a KDC of its own that needs no root and can be away and come back. */
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accepts } from '../accepts.ts'
import { type Daemon, startDaemon } from '../daemon.ts'
import { findFreePorts } from '../free-ports.ts'
import { tail } from '../tail.ts'
import { fakeClock } from './fake-clock.ts'
import { writeRealm } from './kdc-config.ts'
import { findKerberosProgram, runKerberos } from './programs.ts'

export type KdcOptions = {
  /** Directory of the realm, kept by `stop`; one that has a realm keeps its principals. @default a temporary one, removed by `stop` */
  readonly directory?: string
  /** @default `SLUICE.TEST` */
  readonly realm?: string
  /** Port on the loopback address, by TCP and UDP. @default any free one */
  readonly port?: number
  /** Longest life of tickets, of principals that are added as well. @default 86 400 */
  readonly ticketLifeSeconds?: number
  /** How far clocks may differ, and how long a ticket that has ended is still taken by some. @default 300 */
  readonly clockSkewSeconds?: number
  /** How far the KDC's clock is ahead; needs Debian's package faketime. @default 0 */
  readonly clockOffsetSeconds?: number
  /** The KDC lives on after this process. @default false */
  readonly detached?: boolean
}

export type Kdc = {
  readonly realm: string
  readonly directory: string
  readonly port: number
  /** Path for `KRB5_CONFIG` and for Java's `-Djava.security.krb5.conf`. */
  readonly krb5Config: string
  /** Of the KDC itself: stopped by SIGSTOP, it takes connections and says nothing. */
  readonly pids: () => readonly number[]
  /** Writes the keys of principals to a keytab, in the place of one that is there; new ones get a random key. */
  addKeytab(file: string, ...principals: readonly string[]): Promise<void>
  /** A principal that is a person with a password. */
  addUser(name: string, password: string): Promise<void>
  /** Gives a principal another random key: keytabs of it that were written before are worth nothing. */
  changeKey(principal: string): Promise<void>
  /** Limits the life of a principal's tickets from now on, below that of the realm. */
  limitLife(principal: string, seconds: number): Promise<void>
  removePrincipal(principal: string): Promise<void>
  /** Ends the KDC at once: from now on it is unavailable. */
  kill(): Promise<void>
  /** Starts it again, on the same port and database, with a clock that is so far ahead. */
  start(options?: { readonly clockOffsetSeconds?: number }): Promise<void>
  /** Ends it and removes a temporary directory. */
  stop(): Promise<void>
}

/** A KDC starts in a few milliseconds. */
const startTimeoutMs = 20_000

/**
 * Starts a KDC and resolves when it takes connections.
 * @throws Error when a program of Kerberos is missing, or it does not start; the message ends with its last log lines
 */
export const startKdc = async (options: KdcOptions = {}): Promise<Kdc> => {
  const { realm = 'SLUICE.TEST', ticketLifeSeconds = 86_400, clockSkewSeconds = 300, detached = false } = options
  const command = await findKerberosProgram('krb5kdc')
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'sluice-kdc-')))
  const port = options.port ?? (await findFreePorts(1))[0] ?? 0
  const files = await writeRealm({ directory, realm, port, ticketLifeSeconds, clockSkewSeconds })
  const env = { KRB5_CONFIG: files.krb5Config, KRB5_KDC_PROFILE: files.kdcProfile }
  const logFile = join(directory, 'kdc.log')
  const pidFile = join(directory, 'kdc.pid')
  let running: { readonly daemon: Daemon; readonly pid: number } | undefined

  const administer = (...args: readonly string[]): Promise<void> =>
    runKerberos('kadmin.local', ['-r', realm, ...args], env)
  const start: Kdc['start'] = async ({ clockOffsetSeconds = 0 } = {}) => {
    if (running) return
    await rm(pidFile, { force: true })
    const clock = Object.entries(fakeClock(clockOffsetSeconds)).map(([name, value]) => `${name}=${value}`)
    const args = [...clock, command, '-n', '-r', realm, '-P', pidFile]
    const daemon = await startDaemon({ command: 'env', args, env, logFile, detached })
    const deadline = Date.now() + startTimeoutMs
    for (let pid = 0; running === undefined; ) {
      pid = Number(await readFile(pidFile, 'utf8').catch(() => 0))
      if (pid > 0 && (await accepts(port))) running = { daemon, pid }
      const reason = daemon.ended() ?? (Date.now() > deadline ? 'it did not answer in time' : undefined)
      if (reason) {
        await daemon.kill()
        throw new Error(`The KDC did not start: ${reason}\n${await tail(logFile)}`)
      }
      await sleep(5)
    }
  }
  const kill = async (): Promise<void> => {
    if (!running) return
    const { daemon, pid } = running
    running = undefined
    // It may have been stopped, and one with another clock is to clean up.
    for (const signal of ['SIGCONT', 'SIGTERM'] as const) if (daemon.ended() === undefined) process.kill(pid, signal)
    await daemon.exit
  }
  const stop = async (): Promise<void> => {
    await kill()
    if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
  }

  try {
    if (!(await hasDatabase(directory))) {
      await runKerberos('kdb5_util', ['create', '-r', realm, '-s', '-P', 'of no worth: for trials'], env)
    }
    await start({ clockOffsetSeconds: options.clockOffsetSeconds ?? 0 })
  } catch (error) {
    await stop()
    throw error
  }
  return {
    realm,
    directory,
    port,
    krb5Config: files.krb5Config,
    pids: () => (running ? [running.pid] : []),
    addKeytab: async (file, ...principals) => {
      for (const principal of principals) await administer('addprinc', '-randkey', principal).catch(ignoreExisting)
      const fresh = `${file}.new`
      await rm(fresh, { force: true })
      await administer('ktadd', '-norandkey', '-k', fresh, ...principals)
      await rename(fresh, file)
    },
    addUser: (name, password) => administer('addprinc', '-pw', password, name),
    changeKey: principal => administer('cpw', '-randkey', principal),
    limitLife: (principal, seconds) => administer('modprinc', '-maxlife', `${seconds} seconds`, principal),
    removePrincipal: principal => administer('delprinc', '-force', principal),
    kill,
    start,
    stop,
  }
}

const ignoreExisting = (error: unknown): void => {
  if (!String(error).includes('already exists')) throw error
}

const hasDatabase = (directory: string): Promise<boolean> =>
  readFile(join(directory, 'stash')).then(
    () => true,
    () => false,
  )
