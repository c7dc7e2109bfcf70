/** Points that charts show: ten minutes of one every two seconds. */
const maxPoints = 300

/**
 * The newest samples in columns, as the chart library wants them.
 * @typedef {{
 *   add(at: number, sample: import('./rates.js').Sample): void,
 *   gap(at: number): void,
 *   times(): readonly number[],
 *   column(key: string): readonly (number | null)[],
 *   last(key: string): number | null,
 * }} History
 */

/** @returns {History} */
export const createHistory = () => {
  /** @type {{ at: number, sample: import('./rates.js').Sample }[]} */
  const points = []
  /** @param {number} at @param {import('./rates.js').Sample} sample */
  const add = (at, sample) => {
    // A clock that was set back would break the order that charts need.
    const newest = points.at(-1)
    if (newest && newest.at >= at) points.length = 0
    points.push({ at, sample })
    if (points.length > maxPoints) points.shift()
  }
  return {
    add,
    gap: at => add(at, {}),
    times: () => points.map(({ at }) => at / 1_000),
    column: key => points.map(({ sample }) => sample[key] ?? null),
    last: key => points.at(-1)?.sample[key] ?? null,
  }
}
