/**
 * Work that would hold up everybody else if it was done at once, such as 3DES: small steps, for a little of each turn of
 * the event loop. All who have such work get a step in turn; the steps of one keep their order.
 */

/** How long all of it may take of one turn of the event loop. */
const turnMs = 2

/** There is one event loop, so there is one list of those who have something to do. */
const waiting: StepQueue[] = []
let spentMs = 0
let isPlanned = false

const run = (): void => {
  const start = performance.now()
  let now = start
  while (spentMs + now - start < turnMs) {
    const next = waiting.shift()
    if (next === undefined) break
    if (next.step()) waiting.push(next)
    now = performance.now()
  }
  spentMs += now - start
  if (isPlanned) return
  isPlanned = true
  setImmediate(() => {
    isPlanned = false
    spentMs = 0
    if (waiting.length > 0) run()
  })
}

type Task = {
  /** Does a step; false when there is no more. */
  readonly step: () => boolean
  readonly failed: (error: unknown) => void
}

/** Tasks of one who wants them done one after another. */
export class StepQueue {
  #tasks: Task[] = []
  #isWaiting = false
  #whenIdle: (() => void)[] = []

  /** Begins at once where the turn has time left. After a task that fails none of the others is done. */
  add<T>(steps: () => Iterable<T>, take: (one: T) => void, done: () => void, failed: (error: unknown) => void): void {
    let iterator: Iterator<T> | undefined
    const step = (): boolean => {
      iterator ??= steps()[Symbol.iterator]()
      const next = iterator.next()
      if (next.done) done()
      else take(next.value)
      return !next.done
    }
    this.#tasks.push({ step, failed })
    if (this.#isWaiting) return
    this.#isWaiting = true
    waiting.push(this)
    if (spentMs < turnMs) run()
  }

  get isIdle(): boolean {
    return this.#tasks.length === 0
  }

  /** Calls it when nothing is left to be done, or is wanted any more. */
  whenIdle(call: () => void): void {
    if (this.isIdle) call()
    else this.#whenIdle.push(call)
  }

  /** Nothing of it is wanted any more. */
  clear(): void {
    this.#tasks = []
    this.#tellIdle()
  }

  /** @returns whether there is more to do */
  step(): boolean {
    const [task] = this.#tasks
    try {
      if (task !== undefined && !task.step() && this.#tasks[0] === task) this.#tasks.shift()
    } catch (error) {
      this.#tasks = []
      task?.failed(error)
    }
    this.#isWaiting = this.#tasks.length > 0
    if (!this.#isWaiting) this.#tellIdle()
    return this.#isWaiting
  }

  #tellIdle(): void {
    for (const call of this.#whenIdle.splice(0)) call()
  }
}
