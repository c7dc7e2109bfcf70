// node-only: asks the system
import { readFileSync } from 'node:fs'
import type { Logger } from '../../log/log.ts'
import { type CountCells, cellsOf, createSharedCounts } from './shared-counts.ts'

/** Counts the connections of one listener. */
export type ConnectionCount = {
  /** Whether one more may be open, which counts from then on. */
  take(): boolean
  /** One that counts has ended. */
  give(): void
  /** Whether connections may take this many more descriptors, beside the one of each; they count from then on. */
  takeFiles(files: number): boolean
  giveFiles(files: number): void
  /** The system had no descriptor for one. */
  lacked(): void
}

/** What the connections of all listeners may take of what the process may open. */
export type ConnectionBudget = {
  /** Before the first connection of any of them. @param most open ones, however much there is */
  readonly listener: (name: string, most: number) => ConnectionCount
}

/** Stays for the spool, commits, readers, and files that are read: a quarter, and no more than this. */
const mostReserved = 2_048
/** Of the rest each listener has a part that no other one takes. */
const ownPart = 1 / 8
/** So much of what may be open is again left before it counts as over that connections are refused. */
const calm = 7 / 8

/**
 * Divides what the process may open. Connections beyond it are closed on arrival: otherwise they would take the
 * descriptors that acknowledged events need on their way.
 * @param maxOpenFiles of the process; undefined if unknown
 * @param shared what all threads of the process count by. @default this thread alone has connections
 * @param row of this thread
 */
export const createConnectionBudget = (
  maxOpenFiles: number | undefined,
  logger: Logger,
  shared = createSharedCounts(),
  row = 0,
): ConnectionBudget => {
  const reserved = maxOpenFiles === undefined ? 0 : Math.min(mostReserved, maxOpenFiles / 4)
  const available = Math.floor((maxOpenFiles ?? Number.POSITIVE_INFINITY) - reserved)
  const own = Math.floor(available * ownPart)
  /** What is left to one of them, connections that are open and their further descriptors among it. */
  const leftTo = (one: string): number => {
    let others = 0
    for (const other of shared.names) {
      if (other === one) continue
      const cells = cellsOf(shared, other, row)
      others += Math.max(filesOf(cells), Math.min(own, cells.most))
    }
    return available - others
  }
  return {
    listener: (name, most) => {
      const cells = cellsOf(shared, name, row)
      cells.most = most
      const tell = (limit: number, cause: string | undefined): void => {
        const fields = { listener: name, open: cells.sum('open'), limit, maxOpenFiles }
        if (cause === undefined) logger.info(fields, 'connections are accepted again')
        else logger.warn(fields, `connections are refused: ${cause}`)
      }
      return new Count(cells, () => leftTo(name), tell)
    },
  }
}

const filesOf = (cells: CountCells): number => cells.sum('open') + cells.sum('files')

class Count implements ConnectionCount {
  readonly #cells: CountCells
  readonly #left: () => number
  readonly #tell: (limit: number, cause: string | undefined) => void

  constructor(cells: CountCells, left: () => number, tell: (limit: number, cause: string | undefined) => void) {
    this.#cells = cells
    this.#left = left
    this.#tell = tell
  }

  take(): boolean {
    const limit = this.#mayOpen()
    if (this.#cells.sum('open') < limit) {
      this.#cells.add('open', 1)
      return true
    }
    this.#refuse(limit)
    return false
  }

  give(): void {
    this.#cells.add('open', -1)
    if (!this.#cells.isRefusing) return
    const limit = this.#mayOpen()
    if (this.#cells.sum('open') > limit * calm) return
    if (this.#cells.setRefusing(false)) this.#tell(limit, undefined)
  }

  takeFiles(files: number): boolean {
    if (filesOf(this.#cells) + files <= this.#left()) {
      this.#cells.add('files', files)
      return true
    }
    this.#refuse(this.#mayOpen())
    return false
  }

  giveFiles(files: number): void {
    this.#cells.add('files', -files)
  }

  lacked(): void {
    this.#refuse(this.#mayOpen(), noneLeft)
  }

  #mayOpen(): number {
    return Math.min(this.#cells.most, this.#left() - this.#cells.sum('files'))
  }

  #refuse(limit: number, cause = asManyAsMay): void {
    if (this.#cells.setRefusing(true)) this.#tell(limit, cause)
  }
}

const asManyAsMay = 'as many are open as the listener may have; raise the limit of open files (LimitNOFILE, ulimit -n)'
const noneLeft = 'the process has no file descriptor left; raise the limit (LimitNOFILE, ulimit -n)'

/** What this process may have open, sockets included; undefined if the system does not say. */
export const readMaxOpenFiles = (): number | undefined => {
  try {
    const [, soft = ''] = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return /^\d+$/.test(soft) ? Number(soft) : undefined
  } catch {
    return undefined
  }
}
