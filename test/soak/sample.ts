import { hasProc, readCounts, readResidentMb } from '../bench/proc.ts'

/** What the clients and the machine saw in one period; MB are of 10^6 bytes. */
export type Sample = {
  /** End of the period, from the start of the load. */
  readonly atMs: number
  readonly residentMb: number
  readonly heapMb: number
  /** Memory outside the heap that the engine knows of, buffers above all. */
  readonly externalMb: number
  /** Open files and sockets, and threads; 0 where the system does not tell. */
  readonly descriptors: number
  readonly threads: number
  /** Of intake, from when a request was due to the end of its answer. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** 99 % of the syncs of a file beside the server took at most so long. */
  readonly syncP99Ms: number
  /** Events, in this period. */
  readonly acknowledged: number
  /** Sealed files on the local disk that wait to be committed. */
  readonly backlogFiles: number
  readonly backlogMb: number
  /** Answers of any part that were not as they should be, in this period. */
  readonly errors: number
}

/** Length of a period. */
export const sampleEveryMs = 10_000

/** What the system says of a process and its readers. */
export const readProcess = (pid: number): Pick<Sample, 'residentMb' | 'descriptors' | 'threads'> =>
  hasProc ? { residentMb: readResidentMb(pid), ...readCounts(pid) } : { residentMb: 0, descriptors: 0, threads: 0 }
