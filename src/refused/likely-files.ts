import { parseSince, toSince } from '../spool/files/file-since.ts'

/**
 * Files of an hour, those first that hold the rows of events received at given times: of each collector the last file
 * that begins before, and the one after it, because a record is kept a moment after its request's arrival. A row may be
 * in any other as well: the rest of a replay has the time of its request, and a clock may have been set.
 * @param names of files, in their order @param times ms since the epoch
 */
export const inLikelyOrder = (names: readonly string[], times: readonly number[]): readonly string[] => {
  const likely = new Set<string>()
  for (const [collectorId, ofOne] of Map.groupBy(names, name => parseSince(name)?.collectorId)) {
    if (collectorId === undefined) continue
    for (const since of new Set(times.map(toSince))) {
      const next = ofOne.findIndex(name => name > since)
      for (const name of next < 0 ? ofOne.slice(-1) : ofOne.slice(Math.max(0, next - 1), next + 1)) likely.add(name)
    }
  }
  return [...likely, ...names.filter(name => !likely.has(name))]
}
