/** Runs work after the work before it has ended, well or not. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Makes a queue of one: of two who work on the same thing, the second one finds what the first one left. */
export const createInTurn = (): InTurn => {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const run = last.then(work, work)
    last = run
    return run
  }
}
