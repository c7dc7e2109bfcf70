/**
 * Work that would hold up all other work if done at once, such as 3DES: small steps, for a little of each turn of the
 * event loop. All such work gets a step in turn; the steps of one caller keep their order.
 */

/** How long all of it may take of one turn of the event loop. */
const turnMs = 2

/** Those who have something to do in the turns of the event loop. */
export class Turns {
  readonly #now: () => number
  readonly #waiting: StepQueue[] = []
  #spentMs = 0
  #isPlanned = false

  /** @param now ms that have passed @default the real clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Begins at once where this turn has time left. */
  add(queue: StepQueue): void {
    this.#waiting.push(queue)
    if (this.#spentMs < turnMs) this.#run()
  }

  #run(): void {
    const start = this.#now()
    let now = start
    while (this.#spentMs + now - start < turnMs) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      if (next.step()) this.#waiting.push(next)
      now = this.#now()
    }
    this.#spentMs += now - start
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(() => {
      this.#isPlanned = false
      this.#spentMs = 0
      if (this.#waiting.length > 0) this.#run()
    })
  }
}

/** There is one event loop. */
const eventLoop = new Turns()

type Task = {
  /** Does a step; false when there is no more. */
  readonly step: () => boolean
  readonly failed: (error: unknown) => void
}

/** Tasks of one who wants them done one after another. */
export class StepQueue {
  readonly #turns: Pick<Turns, 'add'>
  #tasks: Task[] = []
  #isWaiting = false
  #whenIdle: (() => void)[] = []

  constructor(turns: Pick<Turns, 'add'> = eventLoop) {
    this.#turns = turns
  }

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
    this.#turns.add(this)
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
