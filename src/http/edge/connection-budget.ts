// node-only: asks the system
import { readFileSync } from 'node:fs'
import type { Logger } from '../../log/log.ts'

/** Counts the connections of one listener. */
export type ConnectionCount = {
  /** Whether one more may be open, which counts from then on. */
  take(): boolean
  /** One that counts has ended. */
  give(): void
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
 * Divides what the process may open. Connections beyond it are closed as they come: without that, they would take the
 * descriptors that acknowledged events need on their way.
 * @param maxOpenFiles of the process; undefined where nobody knows
 */
export const createConnectionBudget = (maxOpenFiles: number | undefined, logger: Logger): ConnectionBudget => {
  const reserved = maxOpenFiles === undefined ? 0 : Math.min(mostReserved, maxOpenFiles / 4)
  const available = Math.floor((maxOpenFiles ?? Number.POSITIVE_INFINITY) - reserved)
  const own = Math.floor(available * ownPart)
  const counts = new Set<Count>()
  const mayOpen = (one: Count): number => {
    let others = 0
    for (const other of counts) if (other !== one) others += Math.max(other.open, Math.min(own, other.most))
    return Math.min(one.most, available - others)
  }
  return {
    listener: (name, most) => {
      const count = new Count(
        most,
        () => mayOpen(count),
        (limit, cause) => {
          const fields = { listener: name, open: count.open, limit, maxOpenFiles }
          if (cause === undefined) logger.info(fields, 'connections are taken again')
          else logger.warn(fields, `connections are refused: ${cause}`)
        },
      )
      counts.add(count)
      return count
    },
  }
}

class Count implements ConnectionCount {
  readonly most: number
  open = 0
  readonly #mayOpen: () => number
  readonly #tell: (limit: number, cause: string | undefined) => void
  #isRefusing = false

  constructor(most: number, mayOpen: () => number, tell: (limit: number, cause: string | undefined) => void) {
    this.most = most
    this.#mayOpen = mayOpen
    this.#tell = tell
  }

  take(): boolean {
    const limit = this.#mayOpen()
    if (this.open < limit) {
      this.open++
      return true
    }
    this.#refuse(
      limit,
      'as many are open as the listener may have; raise the limit of open files (LimitNOFILE, ulimit -n)',
    )
    return false
  }

  give(): void {
    this.open--
    if (!this.#isRefusing) return
    const limit = this.#mayOpen()
    if (this.open > limit * calm) return
    this.#isRefusing = false
    this.#tell(limit, undefined)
  }

  lacked(): void {
    this.#refuse(this.#mayOpen(), 'the process has no file descriptor left; raise the limit (LimitNOFILE, ulimit -n)')
  }

  #refuse(limit: number, cause: string): void {
    if (this.#isRefusing) return
    this.#isRefusing = true
    this.#tell(limit, cause)
  }
}

/** What this process may have open, sockets among it; undefined where the system does not tell. */
export const readMaxOpenFiles = (): number | undefined => {
  try {
    const [, soft = ''] = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return /^\d+$/.test(soft) ? Number(soft) : undefined
  } catch {
    return undefined
  }
}
