/** Works on several items at a time, and gives the results in the items' order; reads no further ahead than that. */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const begun: Promise<Result>[] = []
  for await (const item of items) {
    const result = work(item)
    // It is awaited later; until then a failure must not count as unhandled.
    result.catch(() => {})
    begun.push(result)
    if (begun.length >= atOnce) {
      const first = begun.shift()
      if (first) yield await first
    }
  }
  for (const result of begun) yield await result
}
