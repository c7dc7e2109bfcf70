import { startTimeout } from '../runtime/timers.ts'
import { endProcess } from './end-process.ts'

/** How the process ends. */
export type SignalOptions = {
  /** @param why the signal, or what else ends the process */
  readonly drain: (why: string) => Promise<void>
  /** The whole drain may take this long, in ms. */
  readonly timeoutMs: number
  readonly onFailure: (error: unknown) => void
  /** Called right before the process ends. */
  readonly beforeExit: () => void
}

/** npm passes a Ctrl-C on although the terminal has sent it already: within this time two signals are one. */
const sameSignalMs = 1_000

const numbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGTERM: 15 }

/**
 * Drains on the first SIGTERM or SIGINT and exits with 0; a later one ends at once with 128 + its number.
 * @returns what drains as well, and exits with a code of its own
 */
export const handleSignals = ({
  drain,
  timeoutMs,
  onFailure,
  beforeExit,
}: SignalOptions): ((why: string, code: number) => void) => {
  let exitCode = 0
  let isDraining = false
  let firstAt: number | undefined
  const exit = (code: number, mayHang = true): void => {
    beforeExit()
    endProcess(code, mayHang)
  }
  const fail = (error: unknown): void => {
    onFailure(error)
    exit(1)
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt >= sameSignalMs) exit(128 + (numbers[signal] ?? 0))
      return
    }
    firstAt = performance.now()
    end(signal, 0)
  }
  const end = (why: string, code: number): void => {
    exitCode ||= code
    if (isDraining) return
    isDraining = true
    startTimeout(() => fail(new Error(`The drain took longer than ${timeoutMs} ms`)), timeoutMs)
    drain(why).then(() => exit(exitCode, false), fail)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return end
}
