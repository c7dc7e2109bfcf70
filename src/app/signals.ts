/** How the process ends. */
export type SignalOptions = {
  readonly drain: (signal: NodeJS.Signals) => Promise<void>
  /** The whole drain may take this long, in ms. */
  readonly timeoutMs: number
  readonly onFailure: (error: unknown) => void
  /** Called right before the process ends. */
  readonly beforeExit: () => void
}

/** npm passes a Ctrl-C on although the terminal has sent it already: within this time two signals are one. */
const sameSignalMs = 1_000

const numbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGTERM: 15 }

/** Drains on the first SIGTERM or SIGINT and exits with 0; a later one ends at once with 128 + its number. */
export const handleSignals = ({ drain, timeoutMs, onFailure, beforeExit }: SignalOptions): void => {
  let firstAt: number | undefined
  const exit = (code: number): void => {
    beforeExit()
    process.exit(code)
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
    setTimeout(() => fail(new Error(`The drain took longer than ${timeoutMs} ms`)), timeoutMs)
    drain(signal).then(() => exit(0), fail)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
