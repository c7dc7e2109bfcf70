/**
 * Works on several items at a time, in any order; reads no further ahead than that. After a failure nothing new is begun,
 * and what is under way is waited for.
 * @throws the first failure
 */
export const inParallel = async <Item>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const iterator = items[Symbol.asyncIterator]()
  let isStopped = false
  const worker = async (): Promise<void> => {
    try {
      while (!isStopped) {
        const { done, value } = await iterator.next()
        if (done) return
        await work(value)
      }
    } catch (error) {
      isStopped = true
      throw error
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  await iterator.return?.()
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
