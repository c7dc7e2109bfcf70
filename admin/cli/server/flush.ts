import { setTimeout as sleep } from 'node:timers/promises'
import type { FlushReport } from '../../../src/spool/commit/flusher.ts'
import type { RpcClient } from '../../client/rpc-client.ts'
import { type BeanNames, flagOf, numberOf, readBeans } from './collector-beans.ts'
import { toShownProblems } from './problems.ts'

/** What waits for the file system, whether it is taken there, and what was since the start. */
export const readFlushStatus = async (rpc: RpcClient, names: BeanNames) => {
  const [hdfs = {}, writer = {}, health = {}] = await readBeans(rpc, [names.hdfs, names.writer, names.health])
  return {
    enabled: flagOf(hdfs, 'FlushEnabled'),
    problems: toShownProblems(health).filter(({ part }) => part === 'flush' || part === 'filesystem'),
    waitingFiles: numberOf(hdfs, 'nbLocalFiles') ?? numberOf(hdfs, 'NbLocalFiles'),
    flushedFiles: numberOf(writer, 'HdfsFlushes'),
    writtenEvents: numberOf(writer, 'WrittenEvents'),
  }
}

/** How often the progress is asked for while the flush runs. */
const pollMs = 250

/** Flushes everything now. @param onProgress files done, and those that waited at the beginning */
export const flushNow = async (
  rpc: RpcClient,
  names: BeanNames,
  onProgress: (done: number, total: number | undefined) => void,
): Promise<FlushReport> => {
  const before = await readFlushStatus(rpc, names)
  const ended = new AbortController()
  const work = rpc.exec(names.hdfs, 'processLeftBelowFiles').finally(() => ended.abort())
  // Failures of the work are reported below.
  work.catch(() => {})
  while (!ended.signal.aborted) {
    await sleep(pollMs, undefined, { signal: ended.signal }).catch(() => {})
    if (ended.signal.aborted) break
    const now = await readFlushStatus(rpc, names).catch(() => undefined)
    const done = (now?.flushedFiles ?? 0) - (before.flushedFiles ?? 0)
    const left = now?.waitingFiles
    // Segments become files only now, so the total may grow.
    if (now) onProgress(done, left === undefined ? undefined : done + left)
  }
  return toReport(await work)
}

const toReport = (value: unknown): FlushReport => {
  const { files, bytes, failures } =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  return { files: Number(files ?? 0), bytes: Number(bytes ?? 0), failures: Number(failures ?? 0) }
}
