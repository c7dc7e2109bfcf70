import { marks, style } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toBytes, toCountOrDash, toTimeSpan } from '../print/units.ts'
import { toProblemLines } from './problem-lines.ts'
import { partOf } from './problems.ts'
import type { ServerStatus } from './server-status.ts'

/** One screen: what runs, what waits, what is wrong and what to do. @param width columns; unbounded in a pipe */
export const toStatusView = (status: ServerStatus, url: string, width: number): string => {
  const lines = [...toRuns(status, url), '', ...toWaits(status), '', ...toWrong(status, width)]
  return lines.join('\n')
}

const line = (name: string, value: string): string => `  ${name.padEnd(nameWidth)}${toSafeText(value)}`
const nameWidth = 16

const toRuns = ({ server }: ServerStatus, url: string): string[] => {
  const uptime = `up ${toTimeSpan(server.uptimeSeconds)}`
  return [
    `${style('bold', `sluice ${toSafeText(server.version)}`)}  ${uptime}  ${style('dim', `node ${toSafeText(server.node)}`)}`,
    ...(server.services.length === 0 ? [] : [line('services', server.services.join(', '))]),
    ...Object.entries({ ...server.addresses, management: url }).map(([name, place]) => line(name, place)),
    ...server.fileSystems.map(one => line(`files ${one.path}`, one.url)),
  ]
}

const toWaits = ({ waiting, replica }: ServerStatus): string[] => {
  const { inMemory, spool, quarantine, taken, realtime, flushEnabled } = waiting
  if (spool.events === null && spool.files === null) return ['There is no collector here.']
  const oldest =
    spool.oldestSeconds !== null && spool.oldestSeconds >= 1 ? `, oldest ${toTimeSpan(spool.oldestSeconds)}` : ''
  const files = spool.files ? `, ${plural(spool.files, 'file')} of ${toBytes(spool.bytes ?? 0)}` : ''
  const rows: [string, string][] = [
    ['in memory', events(inMemory.events)],
    ['on disk', `${events(spool.events)}${files}${oldest}`],
    ...toReplicaRows(replica),
    ...(quarantine.files ? [['quarantine', filesOf(quarantine)] satisfies [string, string]] : []),
    ...(taken.files ? [['taken', filesOf(taken)] satisfies [string, string]] : []),
    ['for the broker', realtime.enabled === true ? events(realtime.events) : 'forwarding is off'],
  ]
  return [
    `${style('bold', 'Waiting')}${flushEnabled === false ? '  flushing is off' : ''}`,
    ...rows.map(([name, value]) => line(name, value)),
  ]
}

const toReplicaRows = (replica: ServerStatus['replica']): [string, string][] => {
  if (replica === null) return []
  const { state, copies, behindBytes, takingOver, takenOver, takenOverEvents, setAside } = replica
  const behind = behindBytes > 0 ? `, ${toBytes(behindBytes)} behind` : ''
  // Before the first group no DataNode has one.
  const place = copies > 0 && state === 'in-step' ? `, on ${plural(copies, 'DataNode')}` : ''
  const rows: [string, string][] = [['log in HDFS', `${replicaWords.get(state) ?? state}${place}${behind}`]]
  for (const { id, waitingEvents, problem } of takingOver.slice(0, maxNamed))
    rows.push(['taking over', `${id}, ${plural(waitingEvents, 'event')} to go${problem === '' ? '' : `: ${problem}`}`])
  if (takingOver.length > maxNamed) rows.push(['', `and ${plural(takingOver.length - maxNamed, 'more collector')}`])
  if (takenOver > 0)
    rows.push([
      'taken over',
      `${plural(takenOver, 'collector')} with ${plural(takenOverEvents, 'event')} since the start`,
    ])
  if (setAside > 0) rows.push(['set aside', `${plural(setAside, 'earlier spool')}, in fenced/`])
  return rows
}

/** Collectors that are named. */
const maxNamed = 4

const replicaWords: ReadonlyMap<string, string> = new Map([
  ['in-step', 'in step'],
  ['away', 'away: HDFS does not take it'],
  ['fenced', 'fenced: another collector has it'],
  ['unproven', 'not looked at yet'],
])

const events = (count: number | null): string => `${toCountOrDash(count)} event${count === 1 ? '' : 's'}`

const filesOf = ({ files, events: held }: { readonly files: number | null; readonly events: number | null }): string =>
  `${plural(files ?? 0, 'file')} with ${events(held)}`

const toWrong = ({ problems, health }: ServerStatus, width: number): string[] => {
  if (problems.length === 0) {
    const parts = health.map(({ type }) => partOf(type)).join(', ')
    return [`${marks.ok()} All is well${parts === '' ? '' : style('dim', `  ${toSafeText(parts)}`)}`]
  }
  return problems.flatMap(problem => toProblemLines(problem, width))
}
