/**
 * Where the next limit is on more cores than were measured: by the CPU time that an event takes of each part of the server.
 * A part that is one thread ends at one core, the threads that seal at as many as there are of them, and all together at
 * all cores. What the machine has besides (memory bandwidth, disk, network) is left out, so it is the most that can be.
 */
import { toTable } from '../markdown.ts'

/** CPU time of an event, in µs: of the main thread, of sealing, of all else (the writer, the file system, garbage). */
export type Price = { readonly mainUs: number; readonly sealingUs: number; readonly othersUs: number }

/** Events/s for good, and what keeps them from being more. */
export type Capacity = { readonly rate: number; readonly limit: 'all cores' | 'the main thread' | 'sealing' }

/** Threads that seal by default. */
export const sealThreadsOf = (cores: number): number => Math.min(4, Math.max(1, Math.floor(cores / 2)))

export const toCapacity = ({ mainUs, sealingUs, othersUs }: Price, cores: number): Capacity => {
  const limits: readonly Capacity[] = [
    { limit: 'all cores', rate: (cores * 1e6) / (mainUs + sealingUs + othersUs) },
    { limit: 'the main thread', rate: 1e6 / mainUs },
    { limit: 'sealing', rate: (sealThreadsOf(cores) * 1e6) / sealingUs },
  ]
  return limits.reduce((least, one) => (one.rate < least.rate ? one : least))
}

const modelled = [1, 2, 8, 16] as const

/** The model as a table, a row for each that was measured. */
export const toCapacityTable = (rows: readonly { readonly what: string; readonly price: Price }[]): string =>
  toTable([
    ['', 'main thread', 'sealing', 'all else', ...modelled.map(cores => (cores === 1 ? '1 core' : `${cores} cores`))],
    ...rows.map(({ what, price }) => [
      what,
      ...[price.mainUs, price.sealingUs, price.othersUs].map(us => `${us.toFixed(1)} µs`),
      ...modelled.map(cores => toText(toCapacity(price, cores))),
    ]),
  ])

const toText = ({ rate, limit }: Capacity): string => `${(rate / 1_000).toFixed(0)} K/s: ${limit}`
