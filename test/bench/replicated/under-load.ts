/** What an event costs all who have a part in it, to its end, and how long it takes at half of the rate that is taken at most. */
import { runLoad } from '../load-run.ts'
import type { MeasureOptions, Sample } from '../measure.ts'
import { forgetPeaks, readPeakMb } from '../proc.ts'
import type { Server } from '../servers.ts'
import { readProcesses, totalUs, toUsOfEach } from './processes-cpu.ts'

export const connections = 128

/** A server with those that it cannot do without. */
export type Ensemble = {
  readonly server: Pick<Server, 'pid' | 'url'>
  /** What the server is called among the processes. */
  readonly name: string
  readonly others: Readonly<Record<string, number>>
  /** Resolves when nothing of what was taken is left to be done. */
  readonly settled: () => Promise<unknown>
}

/** The rate and the CPU times are those of all that is taken, times are those at half of the rate. */
export const measureUnderLoad = async (
  { server, name, others, settled }: Ensemble,
  { directory, durationMs }: MeasureOptions,
): Promise<Sample> => {
  const load = { kind: 'post', connections } as const
  // Code is compiled meanwhile.
  await runLoad(directory, server, { ...load, durationMs: durationMs / 2 })
  await settled()
  const pids = { [name]: server.pid, ...others }
  forgetPeaks(server.pid)
  const before = readProcesses(pids)
  const { rate } = await runLoad(directory, server, { ...load, warmUpMs: 0, durationMs })
  await settled()
  const processesUs = toUsOfEach(before, readProcesses(pids), (rate * durationMs) / 1_000)
  const megabytes = readPeakMb(server.pid)
  const half = await runLoad(directory, server, { ...load, durationMs, requestsPerSecond: rate / 2 })
  const cpuUs = processesUs[name] ?? 0
  return { ...half, rate, cpuUs, clusterCpuUs: totalUs(processesUs) - cpuUs, processesUs, megabytes }
}
