/**
 * What one event may cost: a schema can make a validator work without end (references that double at each level, lists
 * in lists), so what is compiled counts its steps as it goes, and ends when it has used them up. A step is a keyword looked
 * at, a few characters of a text, a few steps of a pattern: some nanoseconds.
 */

/** Steps of one event: ten milliseconds or so. */
export const maxSteps = 1_000_000

/** From here on an event has cost far more than parsing it and writing it down. */
export const slowSteps = 100_000

/** Ends a validator that has no steps left. */
export class OutOfSteps extends Error {
  override readonly name = 'OutOfSteps'
}

const outOfSteps = new OutOfSteps(`comparing it takes more than ${maxSteps} steps`)

/** The steps of the event that is looked at; validators run one after another. */
export const steps = {
  left: 0,
  /** Whether a number mattered that `JSON.parse` may have rounded. */
  isRounded: false,
  out: outOfSteps,
  begin(): void {
    steps.left = maxSteps
    steps.isRounded = false
  },
  take(count: number): void {
    steps.left -= count
    if (steps.left < 0) throw outOfSteps
  },
  /** For a keyword that goes through all characters, elements or members. */
  takeFor(data: unknown): void {
    steps.take(sizeOf(data))
  },
}

/** To find a member of a large object. */
const memberSteps = 20

const sizeOf = (data: unknown): number => {
  if (typeof data === 'string') return data.length >> 3
  if (typeof data !== 'object' || data === null) return 0
  if (Array.isArray(data)) return data.length
  let size = 0
  for (const _ in data) size += memberSteps
  return size
}
