/** Signs of life of the owner of a claim, and who has given none. */
import { Buffer } from 'node:buffer'
import { hostname } from 'node:os'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { inOnePiece } from '../../filesystem/publish/in-one-piece.ts'
import { startTimeout } from '../../runtime/timers.ts'
import { readFileWhole } from '../../tables/files.ts'
import type { FilesClaim } from './claim.ts'

/** How often an owner gives one, */
const beatMs = 10_000
/** and how long another one waits for it. */
export const silenceMs = 60_000

/** Gives signs for as long as the work takes, and none later: each makes the directory of an owner anew. Those that fail do no harm. */
export const withBeats = async <T>(fileSystem: FileSystem, path: string, work: () => Promise<T>): Promise<T> => {
  let isOver = false
  let last: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const goOn = (): void => {
    timer = startTimeout(() => {
      last = fileSystem
        .publish(`${path}/beat`, inOnePiece(Buffer.from(String(process.hrtime.bigint()))), { overwrite: true })
        .catch(() => {})
        .then(() => {
          if (!isOver) goOn()
        })
    }, beatMs).unref()
  }
  goOn()
  try {
    return await work()
  } finally {
    isOver = true
    clearTimeout(timer)
    await last
  }
}

/** The last sign of an owner; empty before the first. */
export const readBeat = async (fileSystem: FileSystem, path: string): Promise<string> => {
  try {
    return (await readFileWhole(fileSystem, `${path}/beat`, 100)).toString('latin1')
  } catch (error) {
    if (hasCode(error, 'not-found')) return ''
    throw error
  }
}

/** Whether the owner was a process of this machine that is no more: nothing has to be waited for. */
export const isGone = ({ host, pid }: FilesClaim): boolean => {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
