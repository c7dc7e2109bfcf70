import { xferAddrOf } from '../data-node/host-of.ts'
import type { DatanodeInfo } from '../name-node/messages.ts'

/** Data nodes that failed a file which is written, and are not to get its next blocks. */
export type FailedNodes = {
  add(node: DatanodeInfo): void
  /** Those of the last ten minutes. */
  all(): readonly DatanodeInfo[]
}

/** As Hadoop's clients (`dfs.client.write.exclude.nodes.cache.expiry.interval.millis`). */
const excludeMs = 600_000

/** @param nowMs monotonic @default performance.now */
export const createFailedNodes = (nowMs: () => number = () => performance.now()): FailedNodes => {
  const failed = new Map<string, { readonly node: DatanodeInfo; readonly until: number }>()
  return {
    add: node => void failed.set(xferAddrOf(node), { node, until: nowMs() + excludeMs }),
    all: () => {
      for (const [name, { until }] of failed) if (nowMs() > until) failed.delete(name)
      return [...failed.values()].map(({ node }) => node)
    },
  }
}
