import { nextTurn } from '../runtime/next-turn.ts'

/** Longest piece of work between two turns of the event loop, in ms. */
const pieceMs = 8

/** Cuts long work into pieces: others have their turn between them. */
export type WorkTurns = {
  /** Whether the piece has been long enough; cheap enough to ask for each event. */
  isOver(): boolean
  /** Lets others have their turn, and begins the next piece. */
  next(): Promise<void>
}

/** Work that stops wherever it may be cut. */
export type WorkSteps<T> = Generator<void, T, undefined>

/** Does work at once that is known to be short. */
export const runAtOnce = <T>(steps: WorkSteps<T>): T => {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Does work in turns. */
export const runInTurns = async <T>(steps: WorkSteps<T>, turns: WorkTurns): Promise<T> => {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (turns.isOver()) await turns.next()
  }
}

/** Runs work that is long, one after the other: side by side, their pieces would add up in each turn. */
export type LongWork = <T>(work: (turns: WorkTurns) => Promise<T>) => Promise<T>

/** @param nowMs monotonic */
export const createLongWork = (nowMs: () => number = () => performance.now()): LongWork => {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const run = last.then(async () => {
      await nextTurn()
      return await work(createTurns(nowMs))
    })
    last = run.catch(() => undefined)
    return run
  }
}

const createTurns = (nowMs: () => number): WorkTurns => {
  let beganAt = nowMs()
  return {
    isOver: () => nowMs() - beganAt >= pieceMs,
    next: async () => {
      await nextTurn()
      beganAt = nowMs()
    },
  }
}
