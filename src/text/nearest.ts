/** Words longer than this are not compared: they are not typing errors, and the distance is quadratic. */
const maxComparedLength = 100
/** More known words than this are not looked at: they may be the columns of any file. */
const maxKnown = 1_000

/** The known word that a mistyped one most likely meant, or nothing when all are far away. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > maxComparedLength) return undefined
  const lower = word.toLowerCase()
  const most = Math.max(3, Math.floor(word.length / 3))
  const ranked = known
    .slice(0, maxKnown)
    .filter(candidate => Math.abs(candidate.length - word.length) <= most)
    .map(candidate => ({ candidate, distance: toDistance(lower, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best !== undefined && best.distance <= most ? best.candidate : undefined
}

/** Levenshtein's distance, one row at a time. */
const toDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap))
    }
    row = next
  }
  return row[b.length] ?? 0
}
