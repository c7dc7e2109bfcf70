/** Items in turns between their groups: the first of each group, then the second of each, and so on. */
export const inTurns = <T>(items: Iterable<T>, groupOf: (item: T) => unknown): T[] => {
  const groups = new Map<unknown, T[]>()
  for (const item of items) {
    const group = groups.get(groupOf(item))
    if (group) group.push(item)
    else groups.set(groupOf(item), [item])
  }
  const ordered: T[] = []
  for (let turn = 0; groups.size > 0; turn++) {
    for (const [key, group] of groups) {
      const item = group[turn]
      if (item === undefined) groups.delete(key)
      else ordered.push(item)
    }
  }
  return ordered
}
