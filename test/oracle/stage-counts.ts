import type { Protocol, Stage } from './stage.ts'

/** What went through a stage. */
export type StageCounts = {
  /** By HDFS' own protocol: calls of the name node, and bytes to and from data nodes. */
  readonly calls: number
  readonly bytes: number
  /** By WebHDFS: requests at the name node, those about tokens aside, and at data nodes; or those at an object store. */
  readonly requests: number
  readonly transfers: number
  /** What of it met a fault of the network. */
  readonly networkHits: number
  /** Delegation tokens that were asked for; 0 without Kerberos. */
  readonly tokens: number
  /** Calls and connections that were refused because of who called; 0 without Kerberos. */
  readonly refusals: number
}

/** Nothing yet. */
export const noCounts: StageCounts = {
  calls: 0,
  bytes: 0,
  requests: 0,
  transfers: 0,
  networkHits: 0,
  tokens: 0,
  refusals: 0,
}

/** So far. */
export const readCounts = ({
  hdfs,
  objects,
  network,
  realm,
}: Pick<Stage, 'hdfs' | 'objects' | 'network' | 'realm'>): StageCounts => ({
  calls: hdfs?.ways.native.calls ?? 0,
  bytes: hdfs?.ways.native.bytes ?? 0,
  requests: hdfs?.ways.webHdfs.calls ?? objects?.calls ?? 0,
  transfers: hdfs?.ways.webHdfs.transfers ?? 0,
  networkHits: network.hits,
  tokens: realm?.witness.calls('GETDELEGATIONTOKEN') ?? 0,
  refusals: realm && hdfs ? realm.witness.refusals.length + hdfs.ways.native.refusals : 0,
})

/** Both together. @param times -1 for what the first has more than the second */
export const addCounts = (a: StageCounts, b: StageCounts, times: 1 | -1 = 1): StageCounts => ({
  calls: a.calls + times * b.calls,
  bytes: a.bytes + times * b.bytes,
  requests: a.requests + times * b.requests,
  transfers: a.transfers + times * b.transfers,
  networkHits: a.networkHits + times * b.networkHits,
  tokens: a.tokens + times * b.tokens,
  refusals: a.refusals + times * b.refusals,
})

/** Which way files went, and how much. */
export const describeWays = (
  protocol: Protocol,
  { calls, bytes, requests, transfers, networkHits }: StageCounts,
): string => {
  if (protocol === 's3')
    return `${requests.toLocaleString('en')} requests of the store, ${networkHits.toLocaleString('en')} of them hit`
  const native = `${calls.toLocaleString('en')} calls and ${(bytes / 1e6).toFixed(1)} MB by HDFS' own protocol`
  const webHdfs = `${requests.toLocaleString('en')} calls and ${transfers.toLocaleString('en')} files by WebHDFS`
  return `${native}, ${webHdfs}, ${networkHits.toLocaleString('en')} of them hit`
}

type WayCounts = Pick<StageCounts, 'calls' | 'bytes' | 'requests' | 'transfers'>

/** What went another way than was asked for, as sentences: a run shows nothing of a way that was not taken. */
export const findDetours = (
  protocol: Protocol,
  { calls, bytes, requests, transfers }: WayCounts,
): readonly string[] => {
  if (protocol === 's3') return requests === 0 ? ['nothing went to the object store'] : []
  if (protocol === 'native' && (calls === 0 || bytes === 0)) return ["nothing went by HDFS' own protocol"]
  if (protocol === 'native' && transfers > 0) return [`${transfers} files went by WebHDFS`]
  // The data node itself reads and writes for WebHDFS as a client, so that only calls tell.
  if (protocol === 'webhdfs' && calls > 0) return [`${calls} calls went by HDFS' own protocol`]
  if (protocol === 'webhdfs' && (requests === 0 || transfers === 0)) return ['nothing went by WebHDFS']
  return []
}
