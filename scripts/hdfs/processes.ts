import { join } from 'node:path'
import { type Daemon, startDaemon } from '../daemon.ts'

export type ProcessesOptions = {
  readonly java: string
  /** Flags of the Java virtual machine, the class path among them. */
  readonly flags: readonly string[]
  /** Directory of their logs, one for each name. */
  readonly logs: string
  /** They live on after this process. @default false */
  readonly detached?: boolean
}

/** The processes of one cluster, by their names. */
export type Processes = {
  /** Starts one; `main` is a class of Java. */
  readonly launch: (name: string, main: string, ...args: readonly string[]) => Promise<Daemon>
  /** Runs one that ends by itself. */
  readonly run: (name: string, main: string, ...args: readonly string[]) => Promise<void>
  /** Ends one at once, as a power cut would. */
  readonly kill: (name: string) => Promise<void>
  readonly killAll: () => Promise<void>
  /** Whether one is meant to run. */
  readonly has: (name: string) => boolean
  /** Why one that is meant to run does not. */
  readonly ended: (name: string) => string | undefined
  readonly names: () => readonly string[]
  readonly pids: () => readonly number[]
  /** The same by their names. */
  readonly pidsByName: () => Readonly<Record<string, number>>
}

export const createProcesses = ({ java, flags, logs, detached = false }: ProcessesOptions): Processes => {
  const daemons = new Map<string, Daemon>()
  const launch = async (name: string, main: string, ...args: readonly string[]): Promise<Daemon> => {
    const options = { command: java, args: [...flags, main, ...args], logFile: join(logs, `${name}.log`), detached }
    const daemon = await startDaemon(options)
    daemons.set(name, daemon)
    return daemon
  }
  const kill = async (name: string): Promise<void> => {
    await daemons.get(name)?.kill()
    daemons.delete(name)
  }
  return {
    launch,
    run: async (name, main, ...args) => {
      const daemon = await launch(name, main, ...args)
      await daemon.exit
      daemons.delete(name)
    },
    kill,
    killAll: async () => void (await Promise.all([...daemons.keys()].map(kill))),
    has: name => daemons.has(name),
    ended: name => daemons.get(name)?.ended(),
    names: () => [...daemons.keys()],
    pids: () => [...daemons.values()].map(({ pid }) => pid),
    pidsByName: () => Object.fromEntries([...daemons].map(([name, { pid }]) => [name, pid])),
  }
}
