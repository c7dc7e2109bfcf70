/** Files of the spool that nothing writes any more, and that the copy has not, or not as they are. */
export type Behind = {
  /** @param bytes that the copy lacks; 0 if it has them, or more, and has to be rewritten anyway */
  note(path: string, bytes: number): void
  /** The copy has it as it is here; or it is gone here. */
  settle(path: string): void
  has(path: string): boolean
  readonly paths: readonly string[]
  /** That the copy lacks. */
  readonly bytes: number
}

export const createBehind = (): Behind => {
  const behind = new Map<string, number>()
  return {
    note: (path, bytes) => void behind.set(path, Math.max(bytes, behind.get(path) ?? 0)),
    settle: path => void behind.delete(path),
    has: path => behind.has(path),
    get paths() {
      return [...behind.keys()]
    },
    get bytes() {
      return behind.values().reduce((sum, bytes) => sum + bytes, 0)
    },
  }
}
