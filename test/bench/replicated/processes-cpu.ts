import type { ProcessesCpu } from '../measure.ts'
import { readCpuSeconds } from '../proc.ts'

/** CPU seconds of each process so far. */
export const readProcesses = (pids: Readonly<Record<string, number>>): ProcessesCpu =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, readCpuSeconds(pid)]))

/** What each took between two looks, in µs of one of so many. */
export const toUsOfEach = (before: ProcessesCpu, after: ProcessesCpu, count: number): ProcessesCpu =>
  Object.fromEntries(
    Object.entries(after).map(([name, seconds]) => [
      name,
      ((seconds - (before[name] ?? 0)) * 1e6) / Math.max(1, count),
    ]),
  )

/** All of them together. */
export const totalUs = (processes: ProcessesCpu): number => Object.values(processes).reduce((sum, us) => sum + us, 0)

/** `Sluice 21.4, NameNode 0.3 µs` */
export const toProcessesText = (processes: ProcessesCpu): string =>
  `${Object.entries(processes)
    .map(([name, us]) => `${name} ${us.toFixed(1)}`)
    .join(', ')} µs`
