import type { RpcClient } from '../../client/rpc-client.ts'
import type { Attributes } from '../../client/types.ts'

/** Names of the beans that the commands use, for the vendor of a server. */
export type BeanNames = ReturnType<typeof toBeanNames>

/** The names of the specification. */
export const toBeanNames = (vendor: string) =>
  ({
    writer: `${vendor}.metrics.collector:name=WriterQueueStats`,
    buffer: `${vendor}.metrics.collector:name=BufferingEventCollector`,
    spool: `${vendor}.metrics.collector:name=Spool`,
    replica: `${vendor}.metrics.collector:name=Replica`,
    refused: `${vendor}.metrics.collector:name=Refused`,
    hdfs: `${vendor}.metrics.collector:name=HDFSWriter`,
    realtimeQueue: `${vendor}.metrics.collector:name=RTQueueStats`,
    realtime: `${vendor}.metrics.collector:name=RTSubsystem`,
    received: `${vendor}.metrics.collector.hadoop.processing:type=BufferingEventCollector,name=collectEvent`,
    health: `${vendor}.metrics:name=Health`,
    apis: `${vendor}.metrics.collector.endpoint.resources:*`,
  }) as const

/** Asks the server for its vendor first. */
export const beanNames = async (rpc: RpcClient): Promise<BeanNames> => toBeanNames((await rpc.version()).vendor)

/** All attributes of several beans in one request; empty for a bean that this server does not have. */
export const readBeans = async (rpc: RpcClient, mbeans: readonly string[]): Promise<readonly Attributes[]> => {
  const outcomes = await rpc.batch(mbeans.map(mbean => ({ method: 'read', params: { mbean } })))
  return outcomes.map(outcome => {
    if ('error' in outcome) return {}
    const { value } = outcome.result as { readonly value?: unknown }
    return typeof value === 'object' && value !== null ? (value as Attributes) : {}
  })
}

/** An attribute as a number; undefined without one. */
export const numberOf = (attributes: Attributes, name: string): number | undefined => {
  const value = attributes[name]
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && value !== '' ? Number(value) : Number.NaN
  return Number.isNaN(number) ? undefined : number
}

/** An attribute that is true or false; undefined without one. */
export const flagOf = (attributes: Attributes, name: string): boolean | undefined => {
  const value = attributes[name]
  return typeof value === 'boolean' ? value : undefined
}

/** An attribute that is text; empty without one. */
export const textOf = (attributes: Attributes, name: string): string => {
  const value = attributes[name]
  return typeof value === 'string' ? value : ''
}
