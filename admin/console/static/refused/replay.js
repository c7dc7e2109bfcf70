import { formatCount } from '../elements/format.js'
import { callLong } from '../server/rpc.js'

/**
 * The outcome for a refused event that was sent in again.
 * @typedef {{ readonly id: string, readonly outcome: string, readonly accepted: number, readonly detail: string }} Outcome
 */

/** Ids of one call: progress is seen between two. */
const batchLength = 50

/**
 * Replays some refused events, batch by batch; those that the server had no time for go into the next one.
 * @param {string} mbean @param {readonly string[]} ids
 * @param {(done: number, total: number | undefined) => void} onProgress
 */
export const replayIds = async (mbean, ids, onProgress) => {
  /** @type {Outcome[]} */
  const outcomes = []
  let left = ids
  while (left.length > 0) {
    const asked = left.slice(0, batchLength)
    const answer = /** @type {Answer} */ (await exec(mbean, 'replay', [asked]))
    const done = answer.outcomes.filter(({ outcome }) => outcome !== 'failed')
    outcomes.push(...(done.length === 0 ? answer.outcomes : done))
    onProgress(outcomes.length, ids.length)
    if (done.length === 0) break
    const known = new Set(done.map(({ id }) => id))
    left = left.filter(id => !known.has(id))
  }
  return outcomes
}

/** Rows that are asked for at once: the server looks through an hour for each page. */
const pageLength = 5_000

/**
 * The same of all that fit, the oldest first: they are found before the first one is sent in.
 * @param {string} mbean @param {(before: string, limit: number) => readonly unknown[]} toArguments
 * @param {(done: number, total: number | undefined) => void} onProgress
 */
export const replayAll = async (mbean, toArguments, onProgress) => {
  /** @type {string[]} */
  const ids = []
  /** @type {string | undefined} */
  let before = ''
  while (before !== undefined) {
    const answer = await exec(mbean, 'list', toArguments(before, pageLength))
    const page = /** @type {import('./refused-query.js').RefusedPage} */ (answer)
    for (const { id } of page.rows) ids.push(id)
    before = page.next
  }
  return replayIds(mbean, ids.reverse(), onProgress)
}

/** @typedef {{ readonly outcomes: readonly Outcome[] }} Answer */

/** @param {string} mbean @param {string} operation @param {readonly unknown[]} args */
const exec = (mbean, operation, args) => callLong('exec', { mbean, operation, arguments: args })

/** What to say of each kind, in this order. @type {readonly (readonly [outcome: string, words: string])[]} */
const words = [
  ['accepted', 'accepted'],
  ['before', 'in already'],
  ['duplicate', 'duplicates of events that are in'],
  ['filtered', 'dropped by a filter'],
  ['refused', 'refused again'],
  ['superseded', 'sent anew by the sender, with other content'],
  ['not-replayable', 'not replayable'],
  ['not-found', 'not found'],
  ['errored', 'failed in the server'],
  ['failed', 'not sent, because the server takes nothing now'],
]

/** Reasons that are shown. */
const maxReasons = 3

/**
 * Their outcomes, in words; `isGood`: all of them are in, and no part of one was refused again.
 * @param {readonly Outcome[]} outcomes
 */
export const toResult = outcomes => {
  const parts = words.flatMap(([outcome, text]) => {
    const count = outcomes.filter(one => one.outcome === outcome).length
    return count === 0 ? [] : [`${count} ${text}`]
  })
  const isIn = (/** @type {Outcome} */ { outcome }) => ['accepted', 'before', 'duplicate'].includes(outcome)
  // Of what is in, a detail says which part is not.
  const inPart = outcomes.filter(one => isIn(one) && one.detail !== '').length
  if (inPart > 0) parts.push(`${inPart} of them in part`)
  const details = outcomes.filter(one => !isIn(one) || one.detail !== '').map(({ detail }) => detail)
  const reasons = [...new Set(details)].filter(detail => detail !== '')
  return {
    text:
      parts.length === 0
        ? 'Nothing was found to replay.'
        : `${formatCount(outcomes.length, 'replay')}: ${parts.join(', ')}.`,
    reasons: reasons.slice(0, maxReasons),
    more: Math.max(0, reasons.length - maxReasons),
    isGood: outcomes.length > 0 && inPart === 0 && outcomes.every(isIn),
  }
}
