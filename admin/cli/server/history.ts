import type { HistorySamples } from '../../../src/figures/history.ts'
import type { RpcClient } from '../../client/rpc-client.ts'

/** The server's history of the last `spanMs`, by its own clock. @throws RpcError of a server without a history */
export const takeHistory = async (rpc: RpcClient, spanMs: number): Promise<HistorySamples> => {
  const { vendor } = await rpc.version()
  const mbean = `${vendor}.metrics:name=History`
  const { timestamp } = await rpc.read(mbean, 'Samples')
  const samples = await rpc.exec(mbean, 'samples', [Math.max(0, timestamp - spanMs), timestamp])
  // What the operation gives is as the bean declares it, as JSON carries it.
  return samples as HistorySamples
}

/** One flat row for each time, oldest first; the time as ISO 8601. */
export const toHistoryRows = ({ at, columns }: HistorySamples): object[] =>
  at.map((time, i) => ({
    time: new Date(time).toISOString(),
    ...Object.fromEntries(Object.entries(columns).map(([key, values]) => [key, values[i] ?? null])),
  }))
