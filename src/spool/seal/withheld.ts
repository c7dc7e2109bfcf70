/**
 * How many events each withheld part of a segment held. Its own guess is adjusted to the number of events that the
 * segment is known to hold and that are missing; it is 0 only for what was never acknowledged.
 * @param missing undefined where it is not known how many events the segment held
 */
export const countWithheld = (guesses: readonly number[], missing: number | undefined): readonly number[] => {
  if (missing === undefined) return guesses
  const all = Math.max(0, missing)
  // One of each that held something, where there is enough; the rest by their guesses.
  const isEnough = all >= guesses.filter(guess => guess > 0).length
  const least = guesses.map(guess => (isEnough && guess > 0 ? 1 : 0))
  const more = guesses.map((guess, i) => guess - (least[i] ?? 0))
  const [toShare, sum] = [all - total(least), total(more)]
  const counts = more.map((guess, i) => (least[i] ?? 0) + (sum === 0 ? 0 : Math.floor((guess * toShare) / sum)))
  const rest = all - total(counts)
  const largest = guesses.indexOf(Math.max(...guesses))
  return counts.map((count, i) => (i === largest ? count + rest : count))
}

const total = (counts: readonly number[]): number => counts.reduce((sum, one) => sum + one, 0)
