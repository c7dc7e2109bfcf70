/**
 * Asks once for all that is read in one go: a bean whose attributes come from one snapshot makes it once when all of
 * them are read, and never shows an old one. Forgotten as soon as the running code ends.
 */
export const perTurn = <T extends object>(make: () => T): (() => T) => {
  let current: T | undefined
  return () => {
    if (current === undefined) {
      current = make()
      queueMicrotask(() => {
        current = undefined
      })
    }
    return current
  }
}
