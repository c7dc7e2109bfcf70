import { readdirSync, readFileSync } from 'node:fs'
import { readCpuSeconds } from '../proc.ts'

/** CPU seconds of a process so far: of its main thread, of those that seal, and of all others. */
export type ThreadCpu = { readonly main: number; readonly sealing: number; readonly others: number }

/** Threads that seal are the only ones that the server makes nicer. */
export const readThreadCpu = (pid: number): ThreadCpu => {
  let main = 0
  let sealing = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const { nice, seconds } = readThread(`/proc/${pid}/task/${thread}/stat`)
    if (thread === String(pid)) main = seconds
    else if (nice > 0) sealing += seconds
  }
  return { main, sealing, others: readCpuSeconds(pid) - main - sealing }
}

/** `nice` is the 19th field of `proc_pid_stat(5)`; see `readCpuSeconds` for the others. */
const readThread = (path: string): { readonly nice: number; readonly seconds: number } => {
  const stat = readFileSync(path, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { nice: Number(fields[16]), seconds: (Number(fields[11]) + Number(fields[12])) / 100 }
}
