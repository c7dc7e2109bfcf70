import type { RejectedEvent } from './delivery.ts'

/** Reports refused events if the application does not. */
export type RefusalLog = {
  readonly record: (rejected: RejectedEvent) => void
  /** Reports what is not reported yet. */
  readonly end: () => void
}

const everyMs = 60_000

/**
 * One line at most in a minute, with the count and the code of the first of them: a tracker without `onRejected` loses
 * events, but not without a word.
 * @param write @default console.warn
 */
export const createRefusalLog = (
  now: () => number,
  write: (line: string) => void = line => console.warn(line),
): RefusalLog => {
  let first: RejectedEvent | undefined
  let count = 0
  let toldAt = Number.NEGATIVE_INFINITY
  const tell = (): void => {
    if (first === undefined) return
    const { code, detail } = first
    const events = count === 1 ? '1 event was' : `${count} events were`
    const line = `sluice tracker: ${events} refused for good (${code}: ${detail}). Give onRejected to get each.`
    first = undefined
    count = 0
    toldAt = now()
    write(line)
  }
  return {
    record: rejected => {
      first ??= rejected
      count += rejected.count
      if (now() - toldAt >= everyMs) tell()
    },
    end: tell,
  }
}
