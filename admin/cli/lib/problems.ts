import type { Attributes } from '../../client/types.ts'
import { toFlag, toNumber, toText } from './collector-beans.ts'
import { plural } from './units.ts'

/** A subsystem of the health report. */
export type HealthItem = { readonly type: string; readonly code: 'OK' | 'WARN' | 'ERROR'; readonly message: string }

/** What is wrong, and what somebody can do about it. */
export type Problem = {
  /** ERROR while events are refused or lost. */
  readonly code: 'WARN' | 'ERROR'
  readonly problem: string
  readonly advice: string
  /** What to call next. */
  readonly command: string
}

/** The items of the bean Health; none of a server that has no such bean. */
export const toItems = (value: unknown): readonly HealthItem[] =>
  typeof value === 'object' && value !== null ? Object.values(value).filter(isItem) : []

const isItem = (value: unknown): value is HealthItem =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  'message' in value &&
  'code' in value &&
  ['OK', 'WARN', 'ERROR'].includes(String(value.code))

/**
 * Everything that is wrong, worst first: what the spool tells in figures, and each health item that is not OK and that
 * those do not explain.
 */
export const toProblems = (items: readonly HealthItem[], spool: Attributes): readonly Problem[] => {
  const ofSpool = spoolRules.flatMap(rule => rule(spool))
  const ofItems = items
    .filter(({ code }) => code !== 'OK')
    .flatMap(({ type, code, message }) => {
      const rule = itemRules[type]
      if (rule === undefined)
        return [toProblem(code, `${partOf(type)}: ${message}`, 'See the whole report.', 'sluice health')]
      return rule.isTold?.(ofSpool, spool) ? [] : [toProblem(code, rule.words(message), rule.advice, rule.command)]
    })
  return [...ofSpool, ...ofItems].sort((a, b) => Number(b.code === 'ERROR') - Number(a.code === 'ERROR'))
}

/** `Writer` of `WriterHealthCheck`. */
export const partOf = (type: string): string => type.replace(/HealthCheck$/, '')

const toProblem = (code: string, problem: string, advice: string, command: string): Problem => ({
  code: code === 'ERROR' ? 'ERROR' : 'WARN',
  problem,
  advice,
  command,
})

const count = (spool: Attributes, name: string): number => toNumber(spool, name) ?? 0

type SpoolRule = (spool: Attributes) => readonly Problem[]

const spoolRules: readonly SpoolRule[] = [
  spool =>
    toFlag(spool, 'Drained') === true
      ? [
          toProblem(
            'ERROR',
            'The collector is drained: events are refused',
            'Take events again.',
            'sluice drain --undo',
          ),
        ]
      : [],
  spool =>
    toFlag(spool, 'Accepting') === false && toFlag(spool, 'Drained') !== true
      ? [
          toProblem(
            'ERROR',
            `Events are refused: ${toText(spool, 'Refusal')}`,
            'Find the cause on the machine of the server.',
            'sluice doctor',
          ),
        ]
      : [],
  spool =>
    count(spool, 'LostEvents') > 0
      ? [
          toProblem(
            'ERROR',
            `${plural(count(spool, 'LostEvents'), 'event')} of the spool are lost: files of it are gone`,
            'See which, and bring them back from a copy while the server is stopped.',
            'sluice spool verify',
          ),
        ]
      : [],
  spool =>
    toFlag(spool, 'FlushEnabled') === false
      ? [
          toProblem(
            'WARN',
            'Flushing is off: events are kept on the local disk',
            'Take them to the file system again when that is wanted.',
            'sluice flush enable',
          ),
        ]
      : [],
  spool =>
    toText(spool, 'LastFlushError') === ''
      ? []
      : [
          toProblem(
            'WARN',
            `Files do not reach the file system: ${toText(spool, 'LastFlushError')}`,
            'They are kept, and tried again. Find the step that fails on the machine of the server.',
            'sluice doctor',
          ),
        ],
  spool =>
    count(spool, 'QuarantinedFiles') > 0
      ? [
          toProblem(
            'WARN',
            `${toFiles(spool, 'Quarantined')} could not be stored and are in quarantine`,
            'See why, then release or remove them.',
            'sluice spool quarantine list',
          ),
        ]
      : [],
  spool =>
    count(spool, 'TakenFiles') > 0
      ? [
          toProblem(
            'WARN',
            `${toFiles(spool, 'Taken')} were moved into place without an answer, and are not seen there`,
            'Somebody may have them: look, then release or remove the local copies.',
            'sluice spool quarantine list',
          ),
        ]
      : [],
]

const toFiles = (spool: Attributes, what: 'Quarantined' | 'Taken'): string =>
  `${plural(count(spool, `${what}Files`), 'file')} with ${plural(count(spool, `${what}Events`), 'event')}`

type ItemRule = {
  readonly words: (message: string) => string
  readonly advice: string
  readonly command: string
  /** Whether the figures of the spool say it already. */
  readonly isTold?: (told: readonly Problem[], spool: Attributes) => boolean
}

const itemRules: Readonly<Record<string, ItemRule>> = {
  WriterHealthCheck: {
    words: message => `Writer: ${message}`,
    advice: 'See the whole report.',
    command: 'sluice health',
    isTold: told => told.length > 0,
  },
  HadoopHealthCheck: {
    words: message => `The file system is unavailable: ${message}`,
    advice: 'Events are kept. Find the step that fails on the machine of the server.',
    command: 'sluice doctor',
    isTold: (_told, spool) => toText(spool, 'LastFlushError') !== '',
  },
  RealtimeHealthCheck: {
    words: message => `Forwarding to the broker: ${message}`,
    advice: 'What is stored is not touched. See what is sent and what is dropped.',
    command: 'sluice realtime status',
  },
  TokenFileHealthCheck: {
    words: message => message,
    advice: 'Mend the file; the server reads it again by itself.',
    command: 'sluice token create --help',
  },
}
