/** Hears of a value once it is there, or why there will be none. It must not throw. */
export type Waiter<T> = { done(value: T): void; failed(error: unknown): void }

/**
 * A value that arrives later, for one waiter, who is called in the same turn. A promise is turns of the microtask queue
 * later, and each step on the way takes one more with its closures: tens of thousands of requests a second notice.
 */
export abstract class Deferred<T> {
  #waiter: Waiter<T> | undefined
  /** The outcome, if it preceded the waiter. */
  #early: ((waiter: Waiter<T>) => void) | undefined

  /** To be called once, by one. */
  tell(waiter: Waiter<T>): void {
    if (this.#early === undefined) this.#waiter = waiter
    else this.#early(waiter)
  }

  /** The same as a promise. */
  promise(): Promise<T> {
    return toPromise(waiter => this.tell(waiter))
  }

  protected settle(value: T): void {
    if (this.#waiter === undefined) this.#early = waiter => waiter.done(value)
    else this.#waiter.done(value)
  }

  protected fail(error: unknown): void {
    if (this.#waiter === undefined) this.#early = waiter => waiter.failed(error)
    else this.#waiter.failed(error)
  }
}

/** A promise of what one would wait for otherwise; of what `start` throws, too. */
export const toPromise = <T>(start: (waiter: Waiter<T>) => void): Promise<T> =>
  new Promise((done, failed) => start({ done, failed }))
