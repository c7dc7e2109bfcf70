import { setTimeout } from 'node:timers/promises'
import { createRpcClient } from '../../admin/client/rpc-client.ts'

/** Events of a server's spool; those added and removed are counted since its start. */
export type SpoolFigures = {
  /** When it was asked, in ms of `performance.now()`. */
  readonly at: number
  readonly written: number
  readonly flushed: number
  /** Kept locally, sealed or not, and not yet in the file system. */
  readonly waiting: number
  readonly flushErrors: number
}

/** What the management plane of a server says of its spool, and lets one do to it. */
export type SpoolWatch = {
  read(): Promise<SpoolFigures>
  /** An operation of the bean HDFSWriter, such as `enableFlush`. */
  exec(operation: string): Promise<unknown>
}

const domain = 'sluice.metrics.collector'
/** Ten thousand files take their time. */
const timeoutMs = 280_000
const attributes = ['WrittenEvents', 'FlushedEvents', 'PendingEvents', 'OpenEvents', 'FlushErrors']

export const createSpoolWatch = (adminUrl: string): SpoolWatch => {
  const client = createRpcClient({ url: adminUrl, timeoutMs })
  return {
    read: async () => {
      const { value } = await client.read(`${domain}:name=Spool`, attributes)
      const [written = 0, flushed = 0, pending = 0, open = 0, flushErrors = 0] = attributes.map(name =>
        Number(value[name]),
      )
      return { at: performance.now(), written, flushed, waiting: pending + open, flushErrors }
    },
    exec: operation => client.exec(`${domain}:name=HDFSWriter`, operation),
  }
}

const lookEveryMs = 100
const maxWaitMs = 300_000

/** Waits until nothing waits any more. @throws Error when a file could not be committed, or it takes too long */
export const untilCommitted = async (watch: SpoolWatch): Promise<SpoolFigures> => {
  const startedAt = performance.now()
  for (;;) {
    const figures = await watch.read()
    if (figures.flushErrors > 0) throw new Error(`${figures.flushErrors} files could not be committed`)
    if (figures.waiting === 0) return figures
    if (figures.at - startedAt > maxWaitMs) throw new Error(`${figures.waiting} events were not committed in time`)
    await setTimeout(lookEveryMs)
  }
}
