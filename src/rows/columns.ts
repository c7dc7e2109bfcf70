/** Column names that many rows share, so that encoders can see by identity that two rows have one shape. */

/** Most columns of a row; text with more is not a table. */
export const maxRowColumns = 65_536

/** Names of unnamed columns: `col-0`, `col-1` … */
export const numberedColumns = (count: number): readonly string[] => {
  const known = numbered[count]
  if (known) return known
  const names = Array.from({ length: count }, (_, i) => `col-${i}`)
  // Few columns are the rule; the rest is not worth the memory.
  if (count <= maxShared) numbered[count] = names
  return names
}

/** Whether a name is that of a column without one. */
export const isNumberedColumn = (name: string): boolean => /^col-\d+$/.test(name)

const maxShared = 256
const numbered: (readonly string[])[] = []

/** The one column of a row that is not decoded. */
export const recordColumn: readonly string[] = ['record']

/** The one column of a row whose value has no name. */
export const valueColumn: readonly string[] = ['value']

/** Returns the names of the row before when they are the same. */
export const createNameSharing = (): ((names: readonly string[]) => readonly string[]) => {
  let last: readonly string[] = []
  return names => {
    if (isSame(names, last)) return last
    last = names
    return names
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
