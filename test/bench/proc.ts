import { existsSync, readFileSync } from 'node:fs'

/** Linux only: what the figures of memory and of bytes read come from. */
export const hasProc: boolean = existsSync('/proc/self/io')

const sampleEveryMs = 20
const mega = 1e6

/** Resident memory of a process in MB. */
export const readResidentMb = (pid: number): number => {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return (Number(kilobytes ?? 0) * 1_024) / mega
}

/** MB that a process has read so far, all its threads, from files and sockets. */
export const readBytesMb = (pid: number): number =>
  Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1] ?? 0) / mega

/** By how many MB the resident memory of a process was larger, at most, while `work` went on than before it. */
export const measureGrowth = async <T>(pid: number, work: () => Promise<T>): Promise<{ growthMb: number; done: T }> => {
  const before = readResidentMb(pid)
  let most = before
  const look = (): void => {
    most = Math.max(most, readResidentMb(pid))
  }
  const timer = setInterval(look, sampleEveryMs)
  try {
    const done = await work()
    look()
    return { growthMb: most - before, done }
  } finally {
    clearInterval(timer)
  }
}
