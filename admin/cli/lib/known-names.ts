import { isRecord } from '../../../src/is-record.ts'
import type { RpcClient } from '../../client/rpc-client.ts'

/** What a shell may ask for while somebody types. */
export const nameKinds = ['beans', 'types'] as const
export type NameKind = (typeof nameKinds)[number]

/** More would not help who types. */
const maxNames = 1_000

/** Names that stand for one thing each and need no quotes in a shell, in order. */
export const readNames = async (rpc: RpcClient, kind: NameKind): Promise<readonly string[]> => {
  const names = kind === 'beans' ? await readBeanNames(rpc) : await readTypes(rpc)
  return names
    .filter(name => /^[\w.@-]+$/.test(name))
    .sort()
    .slice(0, maxNames)
}

/** By their `name=` alone, as `resolveBean` takes them: colons part words in bash. */
const readBeanNames = async (rpc: RpcClient): Promise<string[]> => {
  const names = (await rpc.search('*:*')).flatMap(mbean => /:name=([^,]*)$/.exec(mbean)?.[1] ?? [])
  return names.filter((name, i) => names.indexOf(name) === i && names.lastIndexOf(name) === i)
}

const readTypes = async (rpc: RpcClient): Promise<string[]> => {
  const { vendor } = await rpc.version()
  const answer = await rpc.exec(`${vendor}.metrics.collector:name=EventTypes`, 'list', ['', 'name', maxNames])
  const types: unknown = isRecord(answer) ? answer['types'] : undefined
  return Array.isArray(types) ? types.flatMap((one: unknown) => (isRecord(one) ? [String(one['eventType'])] : [])) : []
}
