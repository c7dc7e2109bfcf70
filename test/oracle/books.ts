import { createRpcClient } from '../../admin/client/rpc-client.ts'

/** Figures of a server at one moment, all events. */
export type Books = {
  readonly received: number
  readonly accepted: number
  readonly filtered: number
  readonly rejected: number
  /** Kept by the spool of this process. */
  readonly written: number
  /** On their way to the file system. */
  readonly waiting: number
  readonly quarantined: number
  /** In the file system, over all processes of this spool. */
  readonly flushed: number
  /** Why nothing is taken; empty while events are. */
  readonly refusal: string
  /** At the broker. */
  readonly forwarded: number
}

/**
 * Reads them from the management listener.
 * @throws Error when the server does not answer
 */
export const readBooks = async (adminUrl: string): Promise<Books> => {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
  const { value } = await createRpcClient({ url: adminUrl }).read('sluice.metrics.collector:name=Spool')
  const count = (name: string): number => sumOf(metrics, `collector_events_${name}_total`)
  const figure = (name: string): number => Number(value[name])
  return {
    received: count('received'),
    accepted: count('accepted'),
    filtered: sumOf(metrics, 'collector_events_filtered_total'),
    rejected: count('rejected'),
    written: count('written'),
    waiting: figure('QueuedEvents') + figure('OpenEvents') + figure('PendingEvents'),
    quarantined: figure('QuarantinedEvents'),
    flushed: figure('TotalFlushedEvents'),
    refusal: String(value['Refusal']),
    forwarded: count('forwarded'),
  }
}

/** What does not add up, at a moment when nothing is under way. */
export const auditBooks = (books: Books): readonly string[] => {
  const { received, accepted, filtered, rejected, written, quarantined } = books
  const text = JSON.stringify(books)
  return [
    ...(received === accepted + filtered + rejected ? [] : [`received is not accepted + rejected: ${text}`]),
    ...(accepted === written ? [] : [`accepted is not what the spool has written: ${text}`]),
    ...(quarantined === 0 ? [] : [`${quarantined} events are in quarantine: ${text}`]),
  ]
}

/** All samples of one metric. */
const sumOf = (metrics: string, name: string): number =>
  metrics
    .split('\n')
    .filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
