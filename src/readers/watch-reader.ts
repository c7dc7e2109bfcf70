// node-only: asks the system for the memory of a process
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { startInterval } from '../runtime/timers.ts'
import type { ReaderPing } from './wire.ts'

/** What a reader may take. */
export type ReaderLimits = {
  /** Of JavaScript values; the engine itself ends the process beyond. */
  readonly heapMb: number
  /** Of everything: buffers, which the heap does not count, as well. */
  readonly residentMb: number
  /** How long it may compute without taking a turn, in ms. */
  readonly silenceMs: number
}

/** How often it is looked at while it has something to do, in ms. */
const everyMs = 250

/** Looks at a process that reads. */
export type Watch = {
  start(): void
  stop(): void
  /** The process has answered. */
  pong(): void
}

/**
 * Watches memory and turns of a process while it is asked to, and says once what it took too much of. Where the system
 * does not report the memory of a process, only its heap is bounded.
 */
export const watchReader = (
  child: Pick<ChildProcess, 'pid' | 'send' | 'connected'>,
  { residentMb, silenceMs }: ReaderLimits,
  onExcess: (reason: string) => void,
): Watch => {
  let timer: NodeJS.Timeout | undefined
  /** Looks since it was asked; a process that was stopped together with this one is not blamed for it. */
  let unanswered = 0
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
    unanswered = 0
  }
  const look = (): void => {
    const isOver = toResidentMb(child.pid) > residentMb
    if (isOver || unanswered * everyMs >= silenceMs) {
      stop()
      onExcess(isOver ? `took more than ${residentMb} MB of memory` : `took longer than ${silenceMs / 1_000} s`)
      return
    }
    if (unanswered === 0 && child.connected) child.send('ping' satisfies ReaderPing, () => {})
    unanswered++
  }
  return {
    start: () => {
      timer ??= startInterval(look, everyMs).unref()
    },
    stop,
    pong: () => {
      unanswered = 0
    },
  }
}

/** Size of a page of memory where `/proc` counts them; it is larger on few machines, which then allow more. */
const pageBytes = 4_096

const toResidentMb = (pid: number | undefined): number => {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')
    return (Number(pages) * pageBytes) / 2 ** 20
  } catch {
    return 0
  }
}
