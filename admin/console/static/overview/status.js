import { asNumber, formatBytes, formatCount, toDuration } from '../elements/format.js'
import { toPairs } from './health.js'

/**
 * The state of the server in words: what an operator must know first. What is wrong the server says itself, in the same
 * words as on the command line; the rest is a function of the figures.
 *
 * @typedef {'ok' | 'warn' | 'error' | 'off'} State
 * @typedef {import('./quick-actions.js').QuickAction} QuickAction
 * @typedef {import('../server/figures.js').Problem} Problem
 * @typedef {{ readonly id: string, readonly title: string, readonly state: State, readonly word: string, readonly detail: string, readonly actions?: readonly QuickAction[], readonly problems?: readonly Problem[] }} Item
 * @typedef {import('../server/figures.js').Figures} Figures
 */

/** When more of what comes in cannot be read, a client is broken. */
const malformedShare = 0.05

/**
 * @param {Figures} figures
 * @param {import('../server/rates.js').Sample} sample
 * @returns {readonly Item[]}
 */
export const toStatus = (figures, sample) => {
  /** @param {string} id @param {string} title @param {Verdict} verdict @returns {Item} */
  const toItem = (id, title, verdict) => ({ id, title, ...withProblems(figures, id, verdict) })
  return [
    toItem('intake', 'Intake', toIntake(figures, sample)),
    toItem('spool', 'Spool', toSpool(figures)),
    ...toReplica(figures).map(verdict => toItem('replica', 'Log in HDFS', verdict)),
    toItem('flush', 'Flush', toFlush(figures)),
    toItem('filesystem', 'File system', toFileSystem(figures)),
    ...toRealtime(figures).map(verdict => toItem('realtime', 'Realtime', verdict)),
    ...(problemsOf(figures, 'server').length === 0 ? [] : [toItem('server', 'Server', fine)]),
  ]
}

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
/** @type {Verdict} */
const fine = { state: 'ok', word: 'Fine', detail: '' }

/** @param {Figures} figures @param {string} part */
const problemsOf = ({ problems }, part) => problems.filter(one => one.part === part)

/** What the server says of a part comes before its figures. @param {Figures} figures @param {string} part @param {Verdict} verdict @returns {Verdict} */
const withProblems = (figures, part, verdict) => {
  const problems = problemsOf(figures, part)
  const [first] = problems
  if (!first) return verdict
  const state = first.code === 'ERROR' ? 'error' : 'warn'
  return { ...verdict, state, word: first.word, problems }
}

/** @param {Figures} figures @param {import('../server/rates.js').Sample} sample @returns {Verdict} */
const toIntake = ({ spool }, { received, refused, malformed }) => {
  if (!spool) return notHere
  if (spool['Drained'] === true) {
    const left = formatCount(Number(spool['WaitingFiles']) + Number(spool['QuarantinedFiles']), 'file')
    return { state: 'warn', word: 'Drained', detail: `${left} left on the local disk`, actions: ['undoDrain'] }
  }
  const rate = typeof received === 'number' ? `${asNumber(received)} events/s` : 'Measuring the rate'
  if (refused) return { state: 'error', word: 'Overloaded', detail: `${asNumber(refused)} events/s refused, ${rate}` }
  if (malformed && received && malformed > received * malformedShare)
    return { state: 'warn', word: 'Malformed events', detail: `${asNumber(malformed)} of ${rate} cannot be read` }
  if (malformed) return { state: 'ok', word: 'Accepting', detail: `${rate}, ${asNumber(malformed)}/s malformed` }
  return { state: 'ok', word: 'Accepting', detail: rate }
}

/** @param {Figures} figures @returns {Verdict} */
const toSpool = ({ spool }) => {
  if (!spool) return notHere
  const waiting = Number(spool['WaitingEvents'])
  const age = waiting > 0 ? `, oldest ${toDuration(Number(spool['OldestSeconds']))}` : ''
  const files = `${formatCount(Number(spool['WaitingFiles']), 'file')} (${formatBytes(Number(spool['WaitingBytes']))})`
  return { state: 'ok', word: 'Fine', detail: `${formatCount(waiting, 'event')} waiting, ${files}${age}` }
}

/** @param {Figures} figures @returns {readonly Verdict[]} */
const toReplica = ({ health }) => {
  const item = health.find(({ type }) => type === 'ReplicaHealthCheck')
  if (!item) return []
  const said = new Map(toPairs(item.message))
  const [copies = 0, takenOver = 0] = ['copies', 'taken over'].map(name => Number(said.get(name)))
  // What is in braces has no name with a comma.
  const takingOver = (said.get('taking over') ?? '').split(', ').filter(one => one.includes(':')).length
  const details = [
    // Of the group that was synced last: while the log is away that is an old one.
    ...(copies > 0 && said.get('state') === 'in-step' ? [`on ${formatCount(copies, 'DataNode')}`] : []),
    `${said.get('behind')} behind`,
    ...(takingOver > 0 ? [`taking over ${formatCount(takingOver, 'collector')}`] : []),
    ...(takenOver > 0 ? [`${formatCount(takenOver, 'collector')} taken over`] : []),
  ]
  return [{ state: 'ok', word: 'In step', detail: details.join(', ') }]
}

/** @param {Figures} figures @returns {Verdict} */
const toFlush = figures => {
  const { spool } = figures
  if (!spool) return notHere
  const files = formatCount(Number(spool['Flushes']), 'file')
  const detail = `${files}, ${formatCount(Number(spool['FlushedEvents']), 'event')} since the start`
  if (spool['FlushEnabled'] === false) return { state: 'warn', word: 'Held', detail, actions: ['resume', 'flushNow'] }
  const actions = /** @type {const} */ (['flushNow', 'hold'])
  if (problemsOf(figures, 'filesystem').length === 0) return { state: 'ok', word: 'On', detail, actions }
  return { state: 'warn', word: 'Failing', detail: 'Files wait for the file system', actions }
}

/** @param {Figures} figures @returns {Verdict} */
const toFileSystem = ({ fileSystems, health }) => {
  const first = fileSystems.find(({ answers }) => answers === false)
  if (first) return { state: 'warn', word: 'No answer', detail: `${first.url}, when last probed: ${first.problem}` }
  const item = health.find(({ type }) => type === 'HadoopHealthCheck')
  const urls = fileSystems.map(({ url }) => url).join(', ')
  return { ...fine, detail: urls || (item?.message.split(', ', 1)[0] ?? 'No problem is known') }
}

/** @param {Figures} figures @returns {readonly Verdict[]} */
const toRealtime = ({ health, realtime }) => {
  const item = health.find(({ type }) => type === 'RealtimeHealthCheck')
  if (!item || (realtime?.['Enabled'] !== true && item.code === 'OK')) return []
  const dropped = Number(realtime?.['DroppedEvents'] ?? 0)
  const detail = `${formatCount(Number(realtime?.['SentEvents'] ?? 0), 'event')} sent, ${asNumber(dropped)} dropped`
  if (realtime?.['Enabled'] === false) return [{ state: 'warn', word: 'Off', detail, actions: ['realtimeOn'] }]
  return [{ state: 'ok', word: 'Forwarding', detail, actions: ['realtimeOff'] }]
}
