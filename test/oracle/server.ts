import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findFreePorts } from '../../scripts/free-ports.ts'
import { typeOf } from '../suites/senders/traffic.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'
import type { DataDisk } from './data-disk.ts'
import { controlVariable, createFaultControl, type FaultControl } from './fault-control.ts'
import type { Schedule } from './schedule.ts'
import type { Stage } from './stage.ts'

/** The server under test, on ports that stay the same, with faults that it carries in itself. */
export type Server = {
  readonly sluice: Sluice
  readonly control: FaultControl
  readonly url: string
  readonly adminUrl: string
  readonly scribePort: number
  /** Where events go in the file system. */
  readonly outputDirectory: string
  /**
   * Starts it until it is up: it may refuse while its disk is full or broken.
   * @throws Error its last words, when it does not come up
   */
  startForCertain(): Promise<void>
  /** Its unexpected actions. */
  readonly oddities: readonly string[]
  close(): Promise<void>
}

const startTimeoutMs = 60_000
const retryMs = 100

/** Prepares it; nothing runs yet. */
export const createServer = async (
  { broker, ...stage }: Stage,
  { directory, workDirectory }: DataDisk,
  { root, output, threads, ack }: Omit<Schedule, 'faults'> & { readonly root: string },
): Promise<Server> => {
  const [port = 0, adminPort = 0, scribePort = 0] = await findFreePorts(3)
  const controlFile = join(workDirectory, 'control')
  const control = createFaultControl(controlFile)
  const log = createWriteStream(join(workDirectory, 'log'))
  const outputDirectory = `${root}/events`
  const oddities: string[] = []
  const preload = pathToFileURL(resolve('test/oracle/faults-preload.ts')).href
  const sluice = await createSluice({
    directory,
    outputDirectory,
    settings: [
      `collector.output.format=${output.format}`,
      `collector.output.compression=${output.compression}`,
      `collector.output.layout=${output.layout}`,
      `collector.output.envelope=${output.envelope}`,
      `server.port=${port}`,
      `admin.port=${adminPort}`,
      `collector.scribe.port=${scribePort}`,
      ...stage.settings,
      ...(broker ? [`realtime.broker=${broker.url}`, `realtime.events=${typeOf(0)}`] : []),
      'collector.diskspool.max-segment-bytes=256KiB',
      'collector.seal-threads=2',
      `server.threads=${threads}`,
      `collector.ack=${ack.replace(/,.*/, '')}`,
      `collector.replicated.when-unavailable=${ack.endsWith('local') ? 'local' : 'refuse'}`,
      // There is one DataNode.
      'collector.replicated.replication=1',
      'collector.replicated.min=1',
    ],
    env: {
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${preload}`.trim(),
      [controlVariable]: controlFile,
      ...stage.env,
    },
    onLine: line => void log.write(`${line}\n`),
    onCrash: (code, signal) => void oddities.push(`the server ended by itself with ${code ?? signal}`),
  })
  // It must not outlive an interrupted run.
  const onExit = (): void => void sluice.kill()
  process.once('exit', onExit)
  return {
    sluice,
    control,
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    scribePort,
    outputDirectory,
    oddities,
    startForCertain: async () => {
      const deadline = performance.now() + startTimeoutMs
      while (sluice.urls() === undefined) {
        try {
          await sluice.start()
        } catch (error) {
          log.write(`${(error as Error).message}\n`)
          if (performance.now() > deadline) throw error
          await new Promise(done => setTimeout(done, retryMs))
        }
      }
    },
    close: async () => {
      await sluice.close()
      process.removeListener('exit', onExit)
      control.close()
      await new Promise<void>(done => log.end(done))
    },
  }
}
