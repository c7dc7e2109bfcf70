/** A real message broker on this machine, which can be killed and started again. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accepts } from '../accepts.ts'
import { type Daemon, startDaemon } from '../daemon.ts'
import { findFreePorts } from '../free-ports.ts'
import { findJava } from '../jvm/maven.ts'
import { tail } from '../tail.ts'
import { fetchBroker } from './artifacts.ts'
import type { BrokerKind } from './kinds.ts'

export type BrokerOptions = {
  /** Directory of the broker's data, kept by `stop`. @default a temporary one, removed by `stop` */
  readonly directory?: string
  /** Port of clients. @default any free one */
  readonly port?: number
  /** Settings of the broker, besides those that it needs here. */
  readonly properties?: Readonly<Record<string, string>>
  /** Heap in MiB. @default 256 */
  readonly maxHeapMb?: number
  /** It starts soon and compiles only quickly, for tests of seconds; what is measured wants neither. @default true */
  readonly quickStart?: boolean
  /** The broker lives on after this process. @default false */
  readonly detached?: boolean
  /** Progress for people. @default silent */
  readonly log?: (line: string) => void
  /** How long a start may take. @default 60 000 */
  readonly startTimeoutMs?: number
}

export type RunningBroker = {
  /** For `realtime.broker`. */
  readonly url: string
  readonly directory: string
  /** Part of the command line, which identifies the process. */
  readonly marker: string
  readonly pid: () => number | undefined
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>
  /** Starts it again, on the same port and data. */
  start(): Promise<void>
  /** Ends it and removes a temporary directory. */
  stop(): Promise<void>
}

/**
 * Starts a broker and resolves when it takes connections.
 * @throws Error when Java or Maven is missing, or it does not start; the message ends with its last log lines
 */
export const startBroker = async (kind: BrokerKind, options: BrokerOptions = {}): Promise<RunningBroker> => {
  const { log = () => {}, detached = false, maxHeapMb = 256, quickStart = true, startTimeoutMs = 60_000 } = options
  const java = await findJava()
  if (!java) throw new Error(`Cannot start ${kind.name}: "java" is neither in JAVA_HOME nor on the PATH`)
  const library = await fetchBroker(kind, log)
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), `sluice-${kind.name}-`)))
  await mkdir(directory, { recursive: true })
  const [client, internal] = await findPorts(options.port)
  const marker = `-Dsluice.${kind.name}=${directory}`
  const quick = quickStart ? ['-XX:TieredStopAtLevel=1'] : []
  const jvm = [`-Xmx${maxHeapMb}m`, '-XX:+UseSerialGC', ...quick, '-Djava.net.preferIPv4Stack=true']
  const flags = [...jvm, `-Djava.io.tmpdir=${directory}`, marker, '-cp', join(library, '*')]
  const logFile = join(directory, 'broker.log')
  let daemon: Daemon | undefined

  const start = async (): Promise<void> => {
    if (daemon) return
    log(`Starting ${kind.name} …`)
    for (const command of await kind.prepare(directory, { client, internal }, options.properties ?? {})) {
      await daemon?.exit
      daemon = await startDaemon({ command: java, args: [...flags, ...command], logFile, detached })
    }
    const deadline = Date.now() + startTimeoutMs
    while (!(await accepts(client))) {
      const reason = daemon?.ended() ?? (Date.now() > deadline ? 'it did not answer in time' : undefined)
      if (reason) throw new Error(`${kind.name} did not start: ${reason}\n${await tail(logFile)}`)
      await sleep(50)
    }
  }
  const kill = async (): Promise<void> => {
    await daemon?.kill()
    daemon = undefined
  }
  const stop = async (): Promise<void> => {
    await kill()
    if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return { url: kind.toUrl(client), directory, marker, pid: () => daemon?.pid, kill, start, stop }
}

/** The one that was asked for, and a free one. */
const findPorts = async (port?: number): Promise<readonly [number, number]> => {
  const [free = 0, internal = 0] = await findFreePorts(2)
  return [port || free, internal]
}
