import type { RpcClient } from '../../client/rpc-client.ts'
import { type BeanNames, readBeans, toNumber } from './collector-beans.ts'

/** What goes to the broker. */
export type RealtimeStatus = {
  readonly enabled: boolean | null
  /** Event types that are forwarded. */
  readonly types: readonly string[]
  readonly sent: number | null
  readonly dropped: number | null
  readonly errored: number | null
}

export const readRealtimeStatus = async (rpc: RpcClient, names: BeanNames): Promise<RealtimeStatus> => {
  const [subsystem = {}, queue = {}] = await readBeans(rpc, [names.realtime, names.realtimeQueue])
  const enabled = subsystem['Enabled']
  return {
    enabled: typeof enabled === 'boolean' ? enabled : null,
    types: toTypes(subsystem['TypesToCollect']),
    sent: toNumber(queue, 'SentEvents') ?? null,
    dropped: toNumber(queue, 'DroppedEvents') ?? null,
    errored: toNumber(queue, 'ErroredEvents') ?? null,
  }
}

/** An array, or the text `[A, B]` that old servers gave. */
const toTypes = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.map(String)
  if (typeof value !== 'string') return []
  return value
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map(type => type.trim())
    .filter(type => type !== '')
}
