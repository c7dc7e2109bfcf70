/** Points of the polls of this page: ten minutes of one every two seconds. */
const maxLive = 300
/** A span of at most this many ms shows all of them; a longer one only what the server's samples have not yet. */
const liveSpanMs = 600_000
/** Longest distance between two of the server's samples, in steps; beyond it lies a gap. */
const maxSteps = 2.5

/**
 * What charts show, in columns, as the chart library wants them: what the server remembers, and the polls since.
 * @typedef {{ readonly stepMs: number, readonly at: readonly number[], readonly columns: Readonly<Record<string, readonly (number | null)[]>> }} Past
 * @typedef {{ readonly at: number, readonly sample: import('./rates.js').Sample }} Point
 * @typedef {{
 *   add(at: number, sample: import('./rates.js').Sample): void,
 *   gap(at: number): void,
 *   setPast(past: Past): void,
 *   setSpan(ms: number): void,
 *   restart(at: number): void,
 *   restarts(): readonly number[],
 *   times(): readonly number[],
 *   column(key: string): readonly (number | null)[],
 *   last(key: string): number | null,
 * }} History
 */

/** @returns {History} */
export const createSampleHistory = () => {
  /** @type {Point[]} */
  const live = []
  /** @type {readonly Point[]} */
  let past = []
  /** @type {number[]} */
  const starts = []
  let spanMs = liveSpanMs
  let stepMs = liveSpanMs
  /** What is shown; made when asked for after a change. @type {readonly Point[] | undefined} */
  let shown

  /** @param {number} at @param {import('./rates.js').Sample} sample */
  const add = (at, sample) => {
    shown = undefined
    // A clock that was set back would break the order that charts need.
    const newest = live.at(-1)
    if (newest && newest.at >= at) {
      live.length = 0
      past = []
    }
    live.push({ at, sample })
    if (live.length > maxLive) live.shift()
  }
  /** Each time once, rising; a restart is a gap. @returns {readonly Point[]} */
  const show = () => {
    const newest = Math.max(live.at(-1)?.at ?? 0, past.at(-1)?.at ?? 0)
    const from = newest - spanMs
    const ownPolls = new Set(spanMs > liveSpanMs ? [] : live.map(({ at }) => Math.floor(at / stepMs)))
    const old = past.filter(({ at }) => at >= from && !ownPolls.has(Math.floor(at / stepMs)))
    const lastOld = spanMs > liveSpanMs ? (old.at(-1)?.at ?? 0) : 0
    const recent = live.filter(({ at }) => at > lastOld && at >= from)
    const points = [...old, ...recent].sort((a, b) => a.at - b.at)
    const taken = new Set(points.map(({ at }) => at))
    const gaps = starts
      .filter(at => at > (points[0]?.at ?? at) && at < newest && !taken.has(at))
      .map(at => ({ at, sample: {} }))
    return gaps.length === 0 ? points : [...points, ...gaps].sort((a, b) => a.at - b.at)
  }
  const points = () => {
    shown ??= show()
    return shown
  }
  return {
    add,
    gap: at => add(at, {}),
    setPast: ({ at, columns, ...next }) => {
      shown = undefined
      stepMs = next.stepMs
      const entries = Object.entries(columns)
      // The values of an earlier process stay; this one does not know them.
      const kept = past.filter(one => one.at < (at[0] ?? 0))
      past = [
        ...kept,
        ...at.flatMap((time, i) => {
          const before = at[i - 1] ?? kept.at(-1)?.at ?? time
          const point = {
            at: time,
            sample: Object.fromEntries(entries.map(([key, column]) => [key, column[i] ?? null])),
          }
          return time - before > maxSteps * stepMs ? [{ at: before + 1, sample: {} }, point] : [point]
        }),
      ]
    },
    setSpan: ms => {
      shown = undefined
      spanMs = ms
    },
    restart: at => {
      shown = undefined
      if (!starts.includes(at)) starts.push(at)
    },
    restarts: () => starts,
    times: () => points().map(({ at }) => at / 1_000),
    column: key => points().map(({ sample }) => sample[key] ?? null),
    last: key => live.at(-1)?.sample[key] ?? null,
  }
}
