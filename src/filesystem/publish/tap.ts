/**
 * Counts what goes through. No generator: who waits for a step and for something longer-lived at once (`Promise.race`)
 * keeps every step's result until the latter settles, which for an upload would be the whole file. So a result is
 * emptied when the next one is asked for.
 */
export const tap = (
  source: AsyncIterable<Uint8Array>,
  onBytes: (length: number) => void,
): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = source[Symbol.asyncIterator]()
    let last: { readonly done: false; value: Uint8Array } | undefined
    return {
      next: async () => {
        if (last) last.value = nothing
        const step = await iterator.next()
        if (step.done) return step
        onBytes(step.value.length)
        last = { done: false, value: step.value }
        return last
      },
      return: async () => {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }
  },
})

const nothing = new Uint8Array(0)
