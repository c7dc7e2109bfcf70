/** The order of texts by code point, which is that of their UTF-8 bytes. */
export const compareTexts = (a: string, b: string): number => compareUnits(a, b, toRank)

/**
 * Compares texts by the first UTF-16 units in which they differ; of two that begin alike the shorter one comes first.
 * @param rankOf the place of a unit in the order
 */
export const compareUnits = (a: string, b: string, rankOf: (unit: number) => number): number => {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return rankOf(left) - rankOf(right)
  }
  return a.length - b.length
}

/**
 * The place of a UTF-16 unit in the order of code points: halves of characters beyond all single units sort after
 * these.
 */
export const toRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit)
