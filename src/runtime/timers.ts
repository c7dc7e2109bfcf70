/** Hears of what a callback threw. @default Node's own warning */
let report = (error: Error): void => process.emitWarning(error)

/** Where failures of timers go: the log of the process, for example. */
export const reportTimerFailures = (to: (error: Error) => void): void => {
  report = to
}

type Callback = () => unknown

/** `setTimeout` whose callback, when it throws or rejects, ends nothing: it is reported. */
export const startTimeout = (callback: Callback, ms: number): NodeJS.Timeout => setTimeout(() => run(callback), ms)

/** `setInterval` whose callback, when it throws or rejects, ends nothing: it is reported, and called again in time. */
export const startInterval = (callback: Callback, ms: number): NodeJS.Timeout => setInterval(() => run(callback), ms)

const run = (callback: Callback): void => {
  try {
    const result = callback()
    if (result instanceof Promise) result.catch(fail)
  } catch (error) {
    fail(error)
  }
}

const fail = (error: unknown): void => report(error instanceof Error ? error : new Error(String(error)))
