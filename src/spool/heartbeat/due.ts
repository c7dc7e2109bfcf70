/**
 * Whether a moment has come. The clock of the wall may be set back: a moment further ahead than the longest pause that
 * leads to it was meant by another clock, and has come.
 */
export const isDue = (now: number, at: number, longestPauseMs: number): boolean =>
  now >= at || at - now > longestPauseMs

/** Whether so much time has passed since a moment, which cannot really lie ahead. */
export const hasPassed = (now: number, since: number, ms: number): boolean => now - since >= ms || now < since
