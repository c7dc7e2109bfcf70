import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Linux only: the source of the figures of memory and of bytes read. */
export const hasProc: boolean = existsSync('/proc/self/io')

const sampleEveryMs = 20
const mega = 1e6

/**
 * A process and all that it has started, and they in turn: a server with its readers. Node starts processes from its
 * main thread, so children are those of that thread.
 */
export const processesOf = (pid: number): readonly number[] =>
  ifThere(
    () => {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean)
      return [pid, ...children.flatMap(child => processesOf(Number(child)))]
    },
    // It has just ended.
    [],
  )

/** Adds up what `read` finds for each process of a tree. */
const sumOf = (pid: number, read: (pid: number) => number): number =>
  processesOf(pid).reduce((sum, one) => sum + ifThere(() => read(one), 0), 0)

const ifThere = <T>(read: () => T, otherwise: T): T => {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return otherwise
    throw error
  }
}

const mbOf = (pid: number, name: 'VmRSS' | 'VmHWM'): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1_024) / mega
}

/** Resident memory of a process and all that it has started, in MB; what they share counts for each. */
export const readResidentMb = (pid: number): number => sumOf(pid, one => mbOf(one, 'VmRSS'))

/** The same without the process itself: what a server's readers have. */
export const readChildrenMb = (pid: number): number => readResidentMb(pid) - ifThere(() => mbOf(pid, 'VmRSS'), 0)

/** The sum of the most that each of these processes had since {@link forgetPeaks}, in MB. */
export const readPeakMb = (pid: number): number => sumOf(pid, one => mbOf(one, 'VmHWM'))

/** `proc_pid_clear_refs(5)`: 5 sets the peak to what is resident now. */
export const forgetPeaks = (pid: number): void => {
  for (const one of processesOf(pid)) ifThere(() => writeFileSync(`/proc/${one}/clear_refs`, '5'), undefined)
}

/** MB that a process and all that it has started have read so far from files and sockets. */
export const readBytesMb = (pid: number): number =>
  sumOf(pid, one => Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${one}/io`, 'latin1'))?.[1] ?? 0) / mega)

/**
 * CPU seconds that a process and all that it has started have taken so far; 0 where the system does not tell. Linux
 * counts in hundredths of a second: `utime` and `stime` are the 14th and 15th field of `proc_pid_stat(5)`.
 */
export const readCpuSeconds = (pid: number): number =>
  sumOf(pid, one => {
    const stat = readFileSync(`/proc/${one}/stat`, 'latin1')
    // The second field is the command in parentheses, which may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  })

/** Open files and sockets, and threads, of a process and all that it has started. */
export const readCounts = (pid: number): { readonly descriptors: number; readonly threads: number } => ({
  descriptors: sumOf(pid, one => readdirSync(`/proc/${one}/fd`).length),
  threads: sumOf(pid, one => readdirSync(`/proc/${one}/task`).length),
})

/** By how many MB {@link readResidentMb} was larger, at most, during `work` than before it. */
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
