/**
 * Many short waits that one long-lived promise may cut short. `Promise.race` would not do: each race leaves its result,
 * a chunk of a file for example, with the promise that has not settled, for as long as that one lives.
 */
export type Interrupt<T> = {
  /** Settles as `step` does, or as the long-lived promise does when that is first. */
  race<S>(step: Promise<S>): Promise<S | T>
}

export const createInterrupt = <T>(promise: Promise<T>): Interrupt<T> => {
  let isSettled = false
  const waiting = new Set<() => void>()
  const onSettled = (): void => {
    isSettled = true
    for (const interrupt of waiting) interrupt()
  }
  void promise.then(onSettled, onSettled)
  return {
    race: <S>(step: Promise<S>) =>
      new Promise<S | T>((resolve, reject) => {
        const interrupt = (): void => void promise.then(resolve, reject)
        if (isSettled) interrupt()
        waiting.add(interrupt)
        void step.then(resolve, reject).finally(() => waiting.delete(interrupt))
      }),
  }
}
