import { createRpcClient } from '../../admin/client/rpc-client.ts'

/** What the management says at one moment. */
export type Figures = {
  readonly heapMb: number
  readonly externalMb: number
  readonly backlogFiles: number
  readonly backlogMb: number
  readonly quarantinedFiles: number
  readonly books: Books
}

/** The server's own count of events. */
export type Books = {
  readonly received: number
  readonly accepted: number
  readonly rejected: number
  readonly committed: number
}

/** Somebody who watches the server by every way that its management has. */
export type Operator = {
  /** Reads all of `/metrics`, `/jolokia` and `/rpc` once. @throws Error when an answer is not as it should be */
  round(): Promise<Figures>
  /** Has everything sealed and committed now. */
  flush(): Promise<void>
}

const runtime = 'sluice.metrics:name=Runtime'
const writer = 'sluice.metrics.collector:name=HDFSWriter'

export const createOperator = (adminUrl: string): Operator => {
  const rpc = createRpcClient({ url: adminUrl })

  const scrape = async (): Promise<string> => {
    const response = await fetch(`${adminUrl}/metrics`)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`/metrics answered ${response.status}: ${text}`)
    return text
  }
  const readByJolokia = async (): Promise<void> => {
    const body = JSON.stringify({ type: 'read', mbean: 'sluice.metrics.collector:*' })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${adminUrl}/jolokia`, { method: 'POST', headers, body })
    const answer = (await response.json()) as { readonly status?: number; readonly error?: string }
    if (answer.status !== 200) throw new Error(`/jolokia answered ${answer.status}: ${answer.error}`)
  }
  return {
    round: async () => {
      const [text, { value }] = await Promise.all([
        scrape(),
        rpc.read(runtime, ['HeapUsedBytes', 'ExternalBytes']),
        rpc.list({ limit: 100 }),
        readByJolokia(),
      ])
      return {
        heapMb: Number(value['HeapUsedBytes']) / 1e6,
        externalMb: Number(value['ExternalBytes']) / 1e6,
        backlogFiles: sumOf(text, 'collector_spool_files'),
        backlogMb: sumOf(text, 'collector_spool_bytes') / 1e6,
        quarantinedFiles: sumOf(text, 'collector_quarantined_files'),
        books: {
          received: sumOf(text, 'collector_events_received_total'),
          accepted: sumOf(text, 'collector_events_accepted_total'),
          rejected: sumOf(text, 'collector_events_rejected_total') + sumOf(text, 'collector_events_filtered_total'),
          committed: sumOf(text, 'collector_hdfs_events_total'),
        },
      }
    },
    flush: async () => void (await rpc.exec(writer, 'processLeftBelowFiles')),
  }
}

/** The value of a metric in Prometheus' text form, added up over its labels; 0 where it is not there. */
export const sumOf = (text: string, metric: string): number =>
  text
    .split('\n')
    .filter(line => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
