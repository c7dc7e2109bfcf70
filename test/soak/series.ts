/** One value at one time, or of one size. */
export type Point = readonly [x: number, y: number]

/** By how much y grows as x grows by 1: the line of least squares. 0 where no line can be drawn. */
export const toSlope = (points: readonly Point[]): number => {
  const meanX = toMean(points.map(([x]) => x))
  const meanY = toMean(points.map(([, y]) => y))
  let products = 0
  let squares = 0
  for (const [x, y] of points) {
    products += (x - meanX) * (y - meanY)
    squares += (x - meanX) ** 2
  }
  return squares === 0 ? 0 : products / squares
}

/** 0 of nothing. */
export const toMean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

/** The value in the middle, or between the two; 0 of nothing. */
export const toMedian = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : toMean(sorted.slice(Math.max(0, middle - 1), middle + 1))
}

/** In which quarter, 0 to 3, of a whole something is; what is beyond its ends belongs to the first or last. */
export const toQuarter = (at: number, whole: number): 0 | 1 | 2 | 3 => {
  const share = at / whole
  return share < 0.25 ? 0 : share < 0.5 ? 1 : share < 0.75 ? 2 : 3
}
