import { createRpcClient } from '../../admin/client/rpc-client.ts'

/** Where the events of a running server are. */
export type SpoolState = {
  /** On their way to the file system. */
  readonly waiting: number
  readonly quarantined: number
  /** Why nothing is taken; empty while events are. */
  readonly refusal: string
  /** At the broker. */
  readonly forwarded: number
}

/**
 * Asks the management listener.
 * @throws Error when the server does not answer
 */
export const readSpoolState = async (adminUrl: string): Promise<SpoolState> => {
  const { value } = await createRpcClient({ url: adminUrl }).read('sluice.metrics.collector:name=Spool')
  const figure = (name: string): number => Number(value[name])
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
  const forwarded = [...metrics.matchAll(/^collector_events_forwarded_total\{[^}]*\} (\S+)$/gm)]
  return {
    waiting: figure('QueuedEvents') + figure('OpenEvents') + figure('PendingEvents'),
    quarantined: figure('QuarantinedEvents'),
    refusal: String(value['Refusal']),
    forwarded: forwarded.reduce((sum, [, count]) => sum + Number(count), 0),
  }
}
