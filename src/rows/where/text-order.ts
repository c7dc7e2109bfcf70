/** The order of texts by code point, which is that of their UTF-8 bytes. */
export const compareTexts = (a: string, b: string): number => {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return toRank(left) - toRank(right)
  }
  return a.length - b.length
}

/** Halves of characters beyond all single units come behind these. */
const toRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit)
