import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { mainScript, nodeOptions } from '../suites/start-command.ts'

/** The server as people run it. */
export type SoakServer = {
  readonly pid: number
  readonly port: number
  readonly scribePort: number
  readonly adminUrl: string
  /** Lines of its log that warn of something or report an error. */
  readonly complaints: { readonly count: number; readonly first: readonly string[] }
  /** Ends it orderly; resolves to its exit code. */
  stop(): Promise<number | null>
  kill(): void
}

const maxKeptComplaints = 20

/** Starts it in a directory of its own; what is not in `settings` is as it comes. @throws Error when it ends before it listens */
export const startServer = async (directory: string, settings: readonly string[]): Promise<SoakServer> => {
  const all = [`data.dir=${directory}`, 'server.port=0', 'admin.port=0', 'collector.scribe.port=0', ...settings]
  const child = spawn(process.execPath, [...nodeOptions, mainScript, ...all.flatMap(one => ['--set', one])], {
    cwd: directory,
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_'))),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const exit = once(child, 'exit')
  const complaints = { count: 0, first: [] as string[] }
  const { promise: ready, resolve, reject } = Promise.withResolvers<ReadyLine>()
  child.once('error', reject)
  child.once('exit', code => reject(new Error(`The server ended with ${code} before it listened`)))
  createInterface(child.stdout).on('line', text => {
    const line = JSON.parse(text) as LogLine
    if (line.level === 'warn' || line.level === 'error') {
      complaints.count++
      if (complaints.first.length < maxKeptComplaints) complaints.first.push(text)
    }
    if (line.msg === 'sluice is ready') resolve(line as ReadyLine)
  })
  const { server, admin, scribe, pid } = await ready
  return {
    pid,
    port: Number(new URL(server).port),
    scribePort: Number(new URL(scribe).port),
    adminUrl: admin,
    complaints,
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await exit
      return code as number | null
    },
    kill,
  }
}

type LogLine = { readonly level?: string; readonly msg?: string }
type ReadyLine = {
  readonly pid: number
  readonly server: string
  readonly admin: string
  readonly scribe: string
}
