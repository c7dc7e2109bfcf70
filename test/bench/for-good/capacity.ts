/**
 * Where the next limit is on more cores than were measured: by the CPU time that an event takes of each part of the server.
 * A part that is one thread ends at one core, edge threads and those that seal at as many as there are of them, and all together
 * at all cores. What the machine has besides (memory bandwidth, disk, network) is left out, so it is the most that can be.
 */
import { toTable } from '../markdown.ts'

/** CPU time of an event, in µs: of the main thread, of edge threads, of sealing, of all else (the writer, the file system, garbage). */
export type Price = {
  readonly mainUs: number
  /** 0 without edge threads: the main thread takes connections. */
  readonly edgesUs: number
  readonly sealingUs: number
  readonly othersUs: number
}

/** Events/s for good, and what keeps them from being more. */
export type Capacity = {
  readonly rate: number
  readonly limit: 'cores' | 'main' | 'edge' | 'sealing'
}

/** What there is to do the work. */
export type Hands = { readonly cores: number; readonly edgeThreads: number }

/** Threads that seal by default. */
export const sealThreadsOf = (cores: number): number => Math.min(4, Math.max(1, Math.floor(cores / 2)))

export const toCapacity = (price: Price, { cores, edgeThreads }: Hands): Capacity => {
  const { mainUs, edgesUs, sealingUs, othersUs } = price
  const limits: readonly Capacity[] = [
    { limit: 'cores', rate: (cores * 1e6) / (mainUs + edgesUs + sealingUs + othersUs) },
    { limit: 'main', rate: 1e6 / mainUs },
    { limit: 'edge', rate: (edgeThreads * 1e6) / edgesUs },
    { limit: 'sealing', rate: (sealThreadsOf(cores) * 1e6) / sealingUs },
  ]
  return limits.reduce((least, one) => (one.rate < least.rate ? one : least))
}

/** Of one format: the price where the main thread takes connections, and where edge threads do. */
export type Prices = { readonly what: string; readonly alone: Price; readonly withEdges?: Price }

const modelledCores = [1, 2, 8] as const
/** `server.threads`; 1 means no thread beside the main thread. */
const modelledThreads = [1, 4] as const

/** The model as a table, a row for each number of edge threads. */
export const toCapacityTable = (rows: readonly Prices[]): string =>
  toTable([
    ['', '`server.threads`', 'µs', ...modelledCores.map(cores => (cores === 1 ? '1 core' : `${cores} cores`))],
    ...rows.flatMap(({ what, alone, withEdges }) =>
      modelledThreads.flatMap(edgeThreads => {
        const price = edgeThreads === 1 ? alone : withEdges
        return price ? [[what, String(edgeThreads), ...toCells(price, edgeThreads)]] : []
      }),
    ),
  ])

const toCells = (price: Price, edgeThreads: number): string[] => [
  [price.mainUs, price.edgesUs, price.sealingUs, price.othersUs].map(us => us.toFixed(1)).join('/'),
  ...modelledCores.map(cores => toText(toCapacity(price, { cores, edgeThreads }))),
]

const toText = ({ rate, limit }: Capacity): string => `${(rate / 1_000).toFixed(0)} ${limit}`
