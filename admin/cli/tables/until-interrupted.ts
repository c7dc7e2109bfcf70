import { CliError, exitCodes } from '../command/failure.ts'

/** Stops work by a signal when the user interrupts it. A second interrupt ends the process at once, and leaves what it was writing. */
export const untilInterrupted = async <T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const stop = new AbortController()
  const onInterrupt = (): void =>
    stop.abort(
      new CliError(`interrupted: finished ${what} stay compacted`, {
        code: 'interrupted',
        exitCode: exitCodes.interrupted,
      }),
    )
  process.once('SIGINT', onInterrupt)
  try {
    return await work(stop.signal)
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}
