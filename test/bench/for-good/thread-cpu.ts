import { readdirSync, readFileSync } from 'node:fs'
import { readCpuSeconds } from '../proc.ts'

/** CPU seconds of a process so far: of its main thread, of those that take connections, of those that seal, and of all others. */
export type ThreadCpu = {
  readonly main: number
  readonly edges: number
  readonly sealing: number
  readonly others: number
}

/** Threads are identified by the names that the server gives them. */
export const readThreadCpu = (pid: number): ThreadCpu => {
  let main = 0
  let edges = 0
  let sealing = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const { name, seconds } = readThread(`/proc/${pid}/task/${thread}/stat`)
    if (thread === String(pid)) main = seconds
    else if (name === 'edge') edges += seconds
    else if (name === 'seal') sealing += seconds
  }
  return { main, edges, sealing, others: readCpuSeconds(pid) - main - edges - sealing }
}

/** The name is in parentheses; see `readCpuSeconds` for the fields after it. */
const readThread = (path: string): { readonly name: string; readonly seconds: number } => {
  const stat = readFileSync(path, 'latin1')
  const end = stat.lastIndexOf(')')
  const fields = stat.slice(end + 2).split(' ')
  return { name: stat.slice(stat.indexOf('(') + 1, end), seconds: (Number(fields[11]) + Number(fields[12])) / 100 }
}
