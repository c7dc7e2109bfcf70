/** How long to wait between attempts. */
export type BackoffOptions = {
  /** @default 500 */
  readonly firstMs?: number
  /** @default 60 000 */
  readonly maxMs?: number
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number
}

/** Waiting times that double, each between half and all of its value, so that many clients do not come back at once. */
export type Backoff = {
  /** The next one, and at least what the server asked for. */
  next(atLeastMs?: number): number
  /** After a success. */
  reset(): void
}

export const createBackoff = ({
  firstMs = 500,
  maxMs = 60_000,
  random = Math.random,
}: BackoffOptions = {}): Backoff => {
  let failures = 0
  return {
    next: (atLeastMs = 0) => {
      const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures++, 30))
      return Math.max(atLeastMs, Math.round(whole * (0.5 + random() / 2)))
    },
    reset: () => {
      failures = 0
    },
  }
}
