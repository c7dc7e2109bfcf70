import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { forgetPeaks, hasProc, readPeakMb, readResidentMb } from '../bench/proc.ts'
import { createDirectory, start } from '../integration/process/child.ts'
import { mainScript, nodeOptions } from '../suites/start-command.ts'

/** A server under abuse: the real process, with what shows that it bears it. */
export type Target = {
  readonly pid: number
  readonly url: string
  readonly adminUrl: string
  readonly port: number
  readonly scribePort: number
  /** Puts a file into its embedded file system, below `/abuse`; the path of it there. */
  put(name: string, bytes: Uint8Array): string
  /** Whether a file is there that events of this type were committed to. */
  committed(type: string): boolean
  /** What it has logged. */
  output(): string
  /** Runs something; by how many MB resident memory, its readers' included, was larger, at most, than before; 0 without Linux. */
  growth<T>(work: () => Promise<T>): Promise<{ readonly growthMb: number; readonly done: T }>
  /** Resident memory now, in MB, its readers' included; 0 without Linux. */
  residentMb(): number
  /** An honest event and an honest look at the directory: both statuses. */
  honest(): Promise<readonly number[]>
}

export type TargetOptions = {
  /** For the engine, before the script. @default none */
  readonly nodeArgs?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files that it may open. @default as many as the tests */
  readonly maxOpenFiles?: number
}

/** Starts a server in a directory of its own, both removed by `cleanUp` of the process tests. */
export const startTarget = async (
  settings: readonly string[] = [],
  { nodeArgs = [], env = {}, maxOpenFiles }: TargetOptions = {},
): Promise<Target> => {
  const cwd = createDirectory()
  const all = ['collector.scribe.port=0', 'collector.diskspool.min-free-bytes=0', ...settings]
  const args = [...nodeOptions, ...nodeArgs, mainScript, ...all.flatMap(one => ['--set', one])]
  const child =
    maxOpenFiles === undefined
      ? start(process.execPath, args, { cwd, env })
      : start('sh', ['-c', `ulimit -n ${maxOpenFiles}; exec "$0" "$@"`, process.execPath, ...args], { cwd, env })
  const ready = await child.logged('sluice is ready')
  const [url, adminUrl, scribe] = [ready['server'], ready['admin'], ready['scribe']].map(String)
  if (url === undefined || adminUrl === undefined || scribe === undefined) throw new Error('No addresses were printed')
  const pid = child.process.pid ?? 0
  const files = join(cwd, 'data/fs/abuse')
  mkdirSync(files, { recursive: true })
  return {
    pid,
    url,
    adminUrl,
    port: Number(new URL(url).port),
    scribePort: Number(new URL(scribe).port),
    put: (name, bytes) => {
      writeFileSync(join(files, name), bytes)
      return `/abuse/${name}`
    },
    committed: type => existsSync(join(cwd, 'data/fs/events', type)),
    output: () => child.output(),
    growth: async work => {
      if (!hasProc) return { growthMb: 0, done: await work() }
      const before = readResidentMb(pid)
      forgetPeaks(pid)
      const done = await work()
      return { growthMb: readPeakMb(pid) - before, done }
    },
    residentMb: () => (hasProc ? readResidentMb(pid) : 0),
    honest: async () => {
      const event = await fetch(`${url}/1?v=Honest,s1`)
      const listing = await fetch(`${url}/rest/1.0/json?path=/abuse&content=false`)
      await Promise.all([event.arrayBuffer(), listing.arrayBuffer()])
      return [event.status, listing.status]
    },
  }
}
