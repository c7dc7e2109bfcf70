import { createTimings, type Timings } from '../figures/timings.ts'

/** Label values of one kind beyond this share {@link otherLabel}. */
const maxClusters = 50
const otherLabel = '(other)'

/** One request of the gateway, when it is answered. */
export type GatewayRequest = {
  /** The operation, such as `readJson`; one of a fixed set. */
  readonly op: string
  /** The mount point that served it; `/` is the default cluster. */
  readonly cluster: string
  /** HTTP status. */
  readonly code: number
}

/** The counts of the gateway; it records, beans and metrics look. */
export type GatewayFigures = {
  record(request: GatewayRequest): void
  /** Bytes of file contents to clients and from them. */
  addBytes(direction: 'in' | 'out', bytes: number): void
  /** Time that a call to a file system took until its first answer, in ms. */
  recordUpstream(ms: number): void
  /** Counts one more active read, until the returned function is called. */
  startRead(): () => void
  /** Reads that are active now, and those refused because too many were. */
  readonly reads: { readonly now: number; refused: number }
  /** Processes that read now, and those that ended before they were to. */
  readonly readers: { now: number; ended: number }
  /** Requests by operation, cluster and status. */
  requests(): readonly (GatewayRequest & { readonly count: number })[]
  readonly bytes: { readonly in: number; readonly out: number }
  /** Calls to file systems. */
  readonly upstream: Omit<Timings, 'record'>
}

/** Starts counting. */
export const createGatewayFigures = (): GatewayFigures => {
  const counts = new Map<string, GatewayRequest & { count: number }>()
  const clusters = new Set<string>()
  const bytes = { in: 0, out: 0 }
  const reads = { now: 0, refused: 0 }
  const readers = { now: 0, ended: 0 }
  const upstream = createTimings()
  const boundCluster = (cluster: string): string => {
    if (clusters.has(cluster)) return cluster
    if (clusters.size >= maxClusters) return otherLabel
    clusters.add(cluster)
    return cluster
  }
  return {
    bytes,
    reads,
    readers,
    startRead: () => {
      let isOver = false
      reads.now++
      return () => {
        if (!isOver) reads.now--
        isOver = true
      }
    },
    record: request => {
      const cluster = boundCluster(request.cluster)
      const key = `${request.op} ${request.code} ${cluster}`
      const known = counts.get(key)
      if (known) known.count++
      else counts.set(key, { ...request, cluster, count: 1 })
    },
    addBytes: (direction, more) => {
      bytes[direction] += more
    },
    recordUpstream: ms => upstream.record(ms),
    requests: () => [...counts.values()],
    upstream,
  }
}
