import type { Trouble } from '../spool/heartbeat/stages.ts'
import type { SpoolStats } from '../spool/spool.ts'
import { fencedAdvice, refusedAdvice } from './problems/refusal-advice.ts'
import { workWords } from './problems/work-words.ts'

/** ERROR while events are refused or lost; what costs no event yet is WARN. */
export type ProblemCode = 'WARN' | 'ERROR'

/** The part of the server that has a problem, as the console shows them. */
export type ProblemPart = 'intake' | 'spool' | 'replica' | 'flush' | 'filesystem' | 'realtime' | 'server'

/** What is wrong, since when, what it means for events, and what to do: the same in health, console and command line. */
export type Problem = {
  /** The health item that it belongs to. */
  readonly item: string
  readonly part: ProblemPart
  readonly code: ProblemCode
  /** Names it among all problems, in a word or two. */
  readonly word: string
  /** The cause first. */
  readonly problem: string
  /** ms since the epoch; undefined until it was seen for the first time. */
  readonly since: number | undefined
  readonly meaning: string
  readonly advice: string
  /** What to call next. */
  readonly command: string
  /** The paragraph of the runbook. */
  readonly runbook: string
}

/** What is wrong with forwarding, as far as it is. */
export type RealtimeProblem = { readonly code: string; readonly problem: string; readonly isEnabled: boolean }

/** What the problems are read from; texts are for people, and empty where nothing is wrong. */
export type ProblemParts = {
  readonly stats: SpoolStats
  readonly realtime: RealtimeProblem | undefined
  readonly fileSystem: string
}

/** Problems that are known, worst first. */
export const toProblems = (parts: ProblemParts): readonly Problem[] => {
  const found = rules.flatMap(rule => rule(parts) ?? [])
  return found.sort((a, b) => Number(b.code === 'ERROR') - Number(a.code === 'ERROR'))
}

/** A health item that no rule explains. */
export const toOtherProblem = ({
  type,
  code,
  message,
}: {
  readonly type: string
  readonly code: string
  readonly message: string
}): Problem => ({
  item: type,
  part: 'server',
  code: code === 'ERROR' ? 'ERROR' : 'WARN',
  word: type.replace(/HealthCheck$/, ''),
  problem: message,
  since: undefined,
  meaning: '',
  advice: 'See the whole report.',
  command: 'sluice health',
  runbook: 'docs/runbook.md',
})

/** `90 s`, `12 min`, `3.5 h`, `2 d`: coarse on purpose. */
export const toAbout = (seconds: number): string => {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 360) / 10} h` : `${Math.round(seconds / 86_400)} d`
}

type Rule = (parts: ProblemParts) => Problem | readonly Problem[] | undefined

const runbookAt = (alert: string): string => `docs/runbook.md#${alert.toLowerCase()}`

/** What happens to events while files cannot be delivered: they are kept here, for as long as there is space. */
const kept = ({ fullInSeconds }: SpoolStats): string =>
  `Events are accepted and kept on this disk${fullInSeconds === undefined ? '' : `, ${toAbout(fullInSeconds)} until it is full`}.`

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const filesOf = (files: number, events: number): string => `${plural(files, 'file')} with ${plural(events, 'event')}`

/** The cause, then what could not be done: `Cannot create "/long/path": name node h failed` begins with the name node. */
export const toCauseFirst = (text: string): string => {
  const [, what, cause] = /^(Cannot [^"]*"[^"]*"): (.+)$/s.exec(text) ?? []
  return what === undefined || cause === undefined ? text : `${cause} (${what})`
}

const writer = 'WriterHealthCheck'

const drained: Rule = ({ stats }) =>
  stats.drained
    ? {
        item: writer,
        part: 'intake',
        code: 'ERROR',
        word: 'Drained',
        problem: 'The collector is drained: events are refused',
        since: undefined,
        meaning: 'Senders get 503; what was accepted goes to the file system.',
        advice: 'Accept events again.',
        command: 'sluice drain --undo',
        runbook: runbookAt('SluiceRefusing'),
      }
    : undefined

const refusing: Rule = ({ stats }) =>
  stats.accepting || stats.drained
    ? undefined
    : {
        item: writer,
        part: 'intake',
        code: 'ERROR',
        word: 'Refusing',
        problem: `Events are refused: ${stats.refusal}`,
        since: sinceOf(stats, 'log'),
        ...(stats.replica?.state === 'fenced' ? fencedAdvice : refusedAdvice),
      }

/** Lost segments that are named; the log has all of them. */
const maxNamed = 10

const lost: Rule = ({ stats: { lostSegments, lostEvents } }) =>
  lostSegments.length === 0
    ? undefined
    : {
        item: writer,
        part: 'spool',
        code: 'ERROR',
        word: 'Lost',
        problem: `${plural(lostEvents, 'event')} of the spool are lost: ${lostSegments.slice(0, maxNamed).join(', ')} gone`,
        since: undefined,
        meaning: 'Accepted events are not in the file system, and not on this disk.',
        advice: 'See which, and bring the files back from a copy while the server is stopped.',
        command: 'sluice spool verify',
        runbook: runbookAt('SluiceEventsLost'),
      }

const failing: Rule = ({ stats }) =>
  stats.troubles.flatMap(({ work, reason, since }): readonly Problem[] => {
    if (work === 'log' || work === 'commit') return []
    const [what, word] = workWords[work]
    return [
      {
        item: writer,
        part: 'spool',
        code: 'WARN',
        word,
        problem: `${what}: ${reason}`,
        since,
        meaning: kept(stats),
        advice: 'It is retried by itself. Remove the cause on the machine of the server.',
        command: 'sluice doctor',
        runbook: runbookAt('SluiceWorkFails'),
      },
    ]
  })

const flushOff: Rule = ({ stats }) =>
  stats.flushEnabled
    ? undefined
    : {
        item: writer,
        part: 'flush',
        code: 'WARN',
        word: 'Held',
        problem: 'Flushing is off: files do not go to the file system',
        since: undefined,
        meaning: kept(stats),
        advice: 'Enable it when files may go again.',
        command: 'sluice flush enable',
        runbook: runbookAt('SluiceFlushDisabled'),
      }

const unreachable: Rule = ({ stats, fileSystem }) => {
  const told = [fileSystem, stats.lastFlushError].filter(text => text !== '').map(toCauseFirst)
  // Of one cause one is enough, whatever it hindered.
  const causes = [...new Map(told.map(text => [text.replace(/ \(Cannot .*$/s, ''), text])).values()]
  return causes.length === 0
    ? undefined
    : {
        item: 'HadoopHealthCheck',
        part: 'filesystem',
        code: 'WARN',
        word: 'Unavailable',
        problem: `Files do not reach the file system: ${causes.join('; ')}`,
        since: sinceOf(stats, 'commit'),
        meaning: kept(stats),
        advice: 'Commits are retried by themselves. Find the step that fails on the machine of the server.',
        command: 'sluice doctor',
        runbook: runbookAt('SluiceFileSystemUnavailable'),
      }
}

/** The stages of the way to the file system, for people. */
const stageWords = { log: 'the open segment', sealing: 'segments to be sealed', commit: 'sealed files' } as const

const late: Rule = ({ stats }) => {
  const { stages, lateSeconds } = stats
  const held = (['log', 'sealing', 'commit'] as const).filter(stage => stages[stage].oldestSeconds > lateSeconds)
  const [first] = held.toSorted((a, b) => stages[b].oldestSeconds - stages[a].oldestSeconds)
  return first === undefined
    ? undefined
    : {
        item: writer,
        part: 'spool',
        code: 'WARN',
        word: 'Late',
        problem: `The oldest event has waited ${toAbout(stages[first].oldestSeconds)} for the file system: ${held
          .map(stage => `${plural(stages[stage].events, 'event')} in ${stageWords[stage]}`)
          .join(', ')}`,
        since: undefined,
        meaning: kept(stats),
        advice: 'See what fails, how much waits, and how fast it goes.',
        command: 'sluice stats --watch',
        runbook: runbookAt('SluiceBacklogOld'),
      }
}

const quarantined: Rule = ({ stats: { quarantinedFiles, quarantinedEvents, retriedFiles } }) =>
  quarantinedFiles === 0
    ? undefined
    : {
        item: writer,
        part: 'spool',
        code: 'WARN',
        word: 'Quarantine',
        problem: `${filesOf(quarantinedFiles, quarantinedEvents)} could not be stored and are in quarantine`,
        since: undefined,
        meaning: `These events are only on this disk${retryWords(retriedFiles, quarantinedFiles - retriedFiles)}.`,
        advice: 'See why, then release or remove them.',
        command: 'sluice spool quarantine list',
        runbook: runbookAt('SluiceQuarantine'),
      }

/** What happens to files in quarantine: refused ones are retried, conflicts of names and damaged pieces are not. */
const retryWords = (retried: number, left: number): string => {
  if (retried === 0) return ', and wait for a decision: they are not retried'
  const often = 'retried by themselves, up to once an hour'
  return left === 0 ? `; the files are ${often}` : `; ${retried} of the files are ${often}, ${left} wait for a decision`
}

const taken: Rule = ({ stats: { takenFiles, takenEvents } }) =>
  takenFiles === 0
    ? undefined
    : {
        item: writer,
        part: 'spool',
        code: 'WARN',
        word: 'In doubt',
        problem: `${filesOf(takenFiles, takenEvents)} were moved into place without an answer, and are not seen there`,
        since: undefined,
        meaning: 'Somebody may have taken them; the local copies are kept and not sent again.',
        advice: 'Look for them, then release or remove the local copies.',
        command: 'sluice spool quarantine list',
        runbook: runbookAt('SluiceTakenFiles'),
      }

const keysMissing: Rule = ({ stats: { idempotencyProblem } }) =>
  idempotencyProblem === ''
    ? undefined
    : {
        item: writer,
        part: 'spool',
        code: 'WARN',
        word: 'Keys missing',
        problem: `Idempotency keys or event ids are missing: ${idempotencyProblem}`,
        since: undefined,
        meaning: 'An earlier request that is sent again with its key, or an event with its id, counts twice.',
        advice:
          'Bring the files back from a copy while the server is stopped; otherwise it is over when newer keys and ids have taken their place.',
        command: 'sluice spool verify',
        runbook: runbookAt('SluiceWorkFails'),
      }

const broker: Rule = ({ realtime }) =>
  realtime === undefined || realtime.code === 'OK'
    ? undefined
    : {
        item: 'RealtimeHealthCheck',
        part: 'realtime',
        code: 'WARN',
        word: realtime.isEnabled ? 'Unavailable' : 'Off',
        problem: realtime.isEnabled
          ? `Events do not reach the broker: ${realtime.problem}`
          : 'Forwarding to the broker is disabled',
        since: undefined,
        meaning: realtime.isEnabled
          ? 'Events for the broker wait in memory up to realtime.queue-size; the file system gets all of them.'
          : 'The broker does not get the events that arrive meanwhile; the file system gets all of them.',
        advice: realtime.isEnabled
          ? 'It is retried by itself. See what is sent and what is dropped.'
          : 'Forward again.',
        command: realtime.isEnabled ? 'sluice realtime status' : 'sluice realtime enable',
        runbook: runbookAt('SluiceBrokerAway'),
      }

/** In the order in which they are shown. */
const rules: readonly Rule[] = [
  drained,
  refusing,
  lost,
  unreachable,
  failing,
  flushOff,
  late,
  quarantined,
  taken,
  keysMissing,
  broker,
]

const sinceOf = ({ troubles }: SpoolStats, wanted: Trouble['work']): number | undefined =>
  troubles.find(({ work }) => work === wanted)?.since

/** Remembers when each problem was seen first, as far as it does not say so itself. */
export const createSinceMemory = (now: () => number): ((problems: readonly Problem[]) => readonly Problem[]) => {
  let seen = new Map<string, number>()
  return problems => {
    const at = now()
    const dated = problems.map(one => ({ ...one, since: one.since ?? seen.get(`${one.item} ${one.word}`) ?? at }))
    seen = new Map(dated.map(({ item, word, since }) => [`${item} ${word}`, since]))
    return dated
  }
}
