import { vi } from 'vitest'

/**
 * What a check of several lines returns once it passes; for one expression there is `expect.poll`. The limit ends what
 * hangs, and is far beyond what a slow machine needs.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 60_000, interval: 10 })
