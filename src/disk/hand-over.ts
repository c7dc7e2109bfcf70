/**
 * Calls from one thread to another through memory that both share. Waiters sleep, and nothing is copied from heap to
 * heap, which takes longer than a small group's write.
 *
 *     int32          hand-overs made
 *     int32          hand-overs answered
 *     int32          calls in this one
 *     int32          unused
 *     64 calls:
 *       float64 × 4  what its words mean is for the two threads to say; its answer takes the place of the first
 *
 * One hand-over is under way at a time: the counts differ while it is the callee's turn, which alone may touch the
 * memory then, and are equal while it is the caller's. They only ever are compared, so they may wrap around.
 */

/** How many calls travel together. */
export const maxCalls = 64

const callWords = 4

/** Where the integers are. */
const [made, answered, length] = [0, 1, 2]

const headBytes = 4 * Int32Array.BYTES_PER_ELEMENT

export const handOverBytes = headBytes + maxCalls * callWords * Float64Array.BYTES_PER_ELEMENT

/** Words of a call. */
export type HandedCall = readonly [number, number, number, number]

/**
 * The side that calls, in a memory of `handOverBytes`: hands over up to `maxCalls` calls, and resolves to their answers;
 * never, when the callee is gone. Not to be called again before that.
 */
export const createCaller = (
  memory: SharedArrayBuffer,
): ((calls: readonly HandedCall[]) => Promise<readonly number[]>) => {
  const { head, words } = toViews(memory)
  return async calls => {
    calls.forEach((call, i) => {
      words.set(call, i * callWords)
    })
    head[length] = calls.length
    const before = Atomics.add(head, made, 1)
    Atomics.notify(head, made)
    while (Atomics.load(head, answered) === before) await Atomics.waitAsync(head, answered, before).value
    return calls.map((_, i) => words[i * callWords] ?? 0)
  }
}

/** The side that is called: waits for a hand-over, which stops the thread, and answers its calls in order. */
export const createCallee = (memory: SharedArrayBuffer): ((answer: (call: Float64Array) => number) => void) => {
  const { head, words } = toViews(memory)
  return answer => {
    const before = Atomics.load(head, answered)
    while (Atomics.load(head, made) === before) Atomics.wait(head, made, before)
    const end = (head[length] ?? 0) * callWords
    for (let at = 0; at < end; at += callWords) words[at] = answer(words.subarray(at, at + callWords))
    Atomics.add(head, answered, 1)
    Atomics.notify(head, answered)
  }
}

const toViews = (memory: SharedArrayBuffer) => ({
  head: new Int32Array(memory, 0, headBytes / Int32Array.BYTES_PER_ELEMENT),
  words: new Float64Array(memory, headBytes),
})
