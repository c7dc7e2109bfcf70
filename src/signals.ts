import { isatty } from 'node:tty'

/** How the process ends. */
export type SignalOptions = {
  readonly drain: (signal: NodeJS.Signals) => Promise<void>
  /** The whole drain may take this long, in ms. */
  readonly timeoutMs: number
  readonly onFailure: (error: unknown) => void
  /** Called right before the process ends. */
  readonly beforeExit: () => void
}

/** Within this time two signals are one: a wrapper may pass on what the terminal has sent already. */
const sameSignalMs = 1_000

/** Those of npm's commands that pass a Ctrl-C on, once each, although the terminal has sent it already. */
const passingOn: readonly (string | undefined)[] = ['start', 'npx']

/** How many more SIGINT a single Ctrl-C brings, however late: npm may be a second behind on a busy machine. */
const countCopies = (): number => (isatty(0) && passingOn.includes(process.env['npm_lifecycle_event']) ? 1 : 0)

const numbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGTERM: 15 }

/** Drains on the first SIGTERM or SIGINT and exits with 0; a later one ends at once with 128 + its number. */
export const handleSignals = ({ drain, timeoutMs, onFailure, beforeExit }: SignalOptions): void => {
  let firstAt: number | undefined
  let copies = countCopies()
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
      if (signal === 'SIGINT' && copies-- > 0) return
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
