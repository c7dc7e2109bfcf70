import { toBytes, toCount, toDuration, toNumber } from './format.js'

/**
 * The state of the server in words: what an operator must know first. Everything here is a function of the figures.
 *
 * @typedef {'ok' | 'warn' | 'error' | 'off'} State
 * @typedef {import('./quick-actions.js').QuickAction} QuickAction
 * @typedef {{ readonly id: string, readonly title: string, readonly state: State, readonly word: string, readonly detail: string, readonly actions?: readonly QuickAction[] }} Item
 * @typedef {import('./figures.js').Figures} Figures
 */

/** An event that is older and still not in the file system is worth a look: ten flushes of the default setting. */
const oldSeconds = 300
/** When more of what comes in cannot be read, a client is broken. */
const malformedShare = 0.05

/**
 * @param {Figures} figures
 * @param {import('./rates.js').Sample} sample
 * @returns {readonly Item[]}
 */
export const toStatus = (figures, sample) => [
  { id: 'intake', title: 'Intake', ...toIntake(figures, sample) },
  { id: 'spool', title: 'Spool', ...toSpool(figures) },
  { id: 'flush', title: 'Flush', ...toFlush(figures) },
  { id: 'filesystem', title: 'File system', ...toFileSystem(figures) },
  ...toRealtime(figures),
]

/**
 * One sentence over all items.
 * @param {readonly Item[]} items
 */
export const toHeadline = items => {
  const bad = items.filter(({ state }) => state === 'error' || state === 'warn')
  if (bad.length === 0) return 'Everything is fine'
  return bad.map(({ title, word }) => `${title}: ${word.toLowerCase()}`).join(' · ')
}

/** @typedef {Omit<Item, 'id' | 'title'>} Verdict */

/** @type {Verdict} */
const notHere = { state: 'off', word: 'Not here', detail: 'The collector does not run in this process' }

/** @param {Figures} figures @param {import('./rates.js').Sample} sample @returns {Verdict} */
const toIntake = ({ spool }, { received, refused, malformed }) => {
  if (!spool) return notHere
  if (spool['Drained'] === true) {
    const left = toCount(Number(spool['PendingFiles']) + Number(spool['QuarantinedFiles']), 'file')
    const detail = `No more events are taken; ${left} left on the local disk`
    return { state: 'warn', word: 'Drained', detail, actions: ['undoDrain'] }
  }
  if (spool['Accepting'] === false) return { state: 'error', word: 'Refusing', detail: String(spool['Refusal']) }
  const rate = typeof received === 'number' ? `${toNumber(received)} events/s` : 'Measuring the rate'
  if (refused) return { state: 'error', word: 'Overloaded', detail: `${toNumber(refused)} events/s refused, ${rate}` }
  if (malformed && received && malformed > received * malformedShare)
    return { state: 'warn', word: 'Malformed events', detail: `${toNumber(malformed)} of ${rate} cannot be read` }
  if (malformed) return { state: 'ok', word: 'Accepting', detail: `${rate}, ${toNumber(malformed)}/s malformed` }
  return { state: 'ok', word: 'Accepting', detail: rate }
}

/** @param {Figures} figures @returns {Verdict} */
const toSpool = ({ spool }) => {
  if (!spool) return notHere
  const pending = Number(spool['PendingFiles'])
  const quarantined = Number(spool['QuarantinedFiles'])
  const oldest = Number(spool['OldestSeconds'])
  const waiting = Number(spool['OpenEvents']) + Number(spool['PendingEvents'])
  const age = waiting > 0 ? `, oldest ${toDuration(oldest)}` : ''
  const detail = `${toCount(waiting, 'event')} waiting, ${toCount(pending, 'file')} (${toBytes(Number(spool['PendingBytes']))})${age}`
  if (quarantined > 0)
    return { state: 'warn', word: 'Quarantine', detail: `${toCount(quarantined, 'file')} set aside, ${detail}` }
  const taken = Number(spool['TakenFiles'] ?? 0)
  if (taken > 0)
    return { state: 'warn', word: 'In doubt', detail: `${toCount(taken, 'file')} may be in the file system, ${detail}` }
  if (waiting > 0 && oldest > oldSeconds) return { state: 'warn', word: 'Backlog', detail }
  return { state: 'ok', word: 'Fine', detail }
}

/** @param {Figures} figures @returns {Verdict} */
const toFlush = ({ spool }) => {
  if (!spool) return notHere
  if (spool['FlushEnabled'] === false)
    return {
      state: 'warn',
      word: 'Held',
      detail: 'Events stay on the local disk until somebody resumes',
      actions: ['resume', 'flushNow'],
    }
  const actions = /** @type {const} */ (['flushNow', 'hold'])
  const problem = problemOf(spool)
  if (problem !== '') return { state: 'error', word: 'Failing', detail: problem, actions }
  const files = toCount(Number(spool['Flushes']), 'file')
  const events = toCount(Number(spool['FlushedEvents']), 'event')
  return { state: 'ok', word: 'On', detail: `${files}, ${events} since the start`, actions }
}

/** @param {Figures} figures @returns {Verdict} */
const toFileSystem = ({ fileSystems, health, spool }) => {
  const first = fileSystems.find(({ answers }) => answers === false)
  if (first)
    return {
      state: 'warn',
      word: 'No answer',
      detail: `${first.url}, when last probed: ${toCauseFirst(first.problem)}`,
    }
  const item = health.find(({ type }) => type === 'HadoopHealthCheck')
  const problem = problemOf(spool)
  if (problem !== '') return { state: 'warn', word: 'Trouble', detail: problem }
  if (item && item.code !== 'OK')
    return { state: item.code === 'ERROR' ? 'error' : 'warn', word: 'Trouble', detail: toCauseFirst(item.message) }
  const urls = fileSystems.map(({ url }) => url).join(', ')
  return { state: 'ok', word: 'Fine', detail: urls || (item?.message.split(', ', 1)[0] ?? 'No problem is known') }
}

/**
 * The cause, then what could not be done: `Cannot create "/long/path": name node h failed` begins with the name node.
 * @param {string} text
 */
const toCauseFirst = text => {
  const [, what, cause] = /^(Cannot [^"]*"[^"]*"): (.+)$/s.exec(text) ?? []
  return what === undefined || cause === undefined ? text : `${cause} (${what})`
}

/** Why the last flush failed; empty when it did not. @param {import('./figures.js').Values | undefined} spool */
const problemOf = spool => {
  const problem = spool?.['LastFlushError']
  return typeof problem === 'string' ? toCauseFirst(problem) : ''
}

/** @param {Figures} figures @returns {readonly Item[]} */
const toRealtime = ({ health, realtime }) => {
  const item = health.find(({ type }) => type === 'RealtimeHealthCheck')
  if (!item || (realtime?.['Enabled'] !== true && item.code === 'OK')) return []
  const dropped = Number(realtime?.['DroppedEvents'] ?? 0)
  const detail = `${toCount(Number(realtime?.['SentEvents'] ?? 0), 'event')} sent, ${toNumber(dropped)} dropped`
  const tile = { id: 'realtime', title: 'Realtime', detail }
  if (realtime?.['Enabled'] === false) return [{ ...tile, state: 'warn', word: 'Off', actions: ['realtimeOn'] }]
  const state = item.code === 'OK' ? 'ok' : item.code === 'WARN' ? 'warn' : 'error'
  return [{ ...tile, state, word: state === 'ok' ? 'Forwarding' : 'Trouble', actions: ['realtimeOff'] }]
}
