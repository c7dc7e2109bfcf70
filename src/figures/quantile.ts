/** Measured values at shares from 0 to 1 (nearest rank, not interpolated); 0 without any. */
export const toQuantiles = (values: readonly number[], shares: readonly number[]): readonly number[] => {
  const sorted = new Float64Array(values).sort()
  return shares.map(share => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0)
}
