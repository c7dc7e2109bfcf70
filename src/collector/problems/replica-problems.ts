import type { ReplicaStatus } from '../../spool/replica/replica-status.ts'
import { type Problem, type ProblemCode, toAbout } from '../problems.ts'
import { fencedAdvice } from './refusal-advice.ts'

/** What the report says of the log in HDFS; nothing without one. */
export const toReplicaItem = (
  replica: ReplicaStatus | undefined,
): { readonly type: string; readonly code: 'OK' | ProblemCode; readonly message: string }[] => {
  if (replica === undefined) return []
  const { state, reason, takingOver, watched } = replica
  const code = state === 'fenced' ? 'ERROR' : state === 'in-step' && takingOver.every(isGoingOn) ? 'OK' : 'WARN'
  const figures = [
    `state: ${state}`,
    `directory: ${replica.directory}`,
    `copies: ${replica.copies}`,
    `behind: ${replica.behindBytes} bytes`,
    `acknowledged here alone: ${replica.localEvents} events`,
    `watched: {${watched.map(({ id, silentMs }) => `${id}: silent for ${toAbout(silentMs / 1_000)}`).join(', ')}}`,
    `taking over: {${takingOver.map(({ id, waitingEvents }) => `${id}: ${waitingEvents} events`).join(', ')}}`,
    `taken over: ${replica.takenOver}`,
  ]
  const notes = [
    reason,
    ...takingOver.filter(one => !isGoingOn(one)).map(({ id, problem }) => `${id} waits: ${problem}`),
  ]
  // The cause comes first, for small screens.
  return [{ type: item, code, message: [...notes.filter(note => note !== ''), ...figures].join(', ') }]
}

/** What is wrong with it, what that means, and what to do. */
export const toReplicaProblems = (replica: ReplicaStatus | undefined, accepting: boolean): readonly Problem[] =>
  replica === undefined ? [] : [...toStateProblem(replica, accepting), ...toTakeoverProblem(replica)]

const isGoingOn = ({ problem }: ReplicaStatus['takingOver'][number]): boolean => problem === ''

const item = 'ReplicaHealthCheck'

const toStateProblem = (replica: ReplicaStatus, accepting: boolean): Problem[] => {
  const { state, reason, since } = replica
  const common = { item, part: 'replica', since } as const
  switch (state) {
    case 'in-step':
      return []
    case 'fenced':
      return [
        {
          ...common,
          code: 'ERROR',
          word: 'Fenced',
          problem: `Another collector has taken this log over: ${reason}`,
          ...fencedAdvice,
        },
      ]
    default:
      return [
        {
          ...common,
          code: 'WARN',
          word: accepting ? 'On this disk alone' : 'Away',
          problem: `${troubles[state]}: ${reason}`,
          meaning: accepting
            ? toLocalMeaning(replica)
            : 'Senders get 503 and have to retry; what was accepted is kept.',
          advice: 'It is retried by itself. Find the step that fails on the machine of the server.',
          command: 'sluice doctor',
          runbook: `docs/runbook.md#${accepting ? 'sluicetakeslocal' : 'sluicerefusing'}`,
        },
      ]
  }
}

const troubles = {
  unproven: 'It is not known yet whether the log in HDFS is still its own',
  away: 'HDFS does not accept the log',
} as const

const toLocalMeaning = ({ localEvents, behindBytes }: ReplicaStatus): string =>
  `Events are accepted and kept on this disk alone, ${localEvents} since the start; ${behindBytes} bytes wait to be copied.`

const toTakeoverProblem = ({ takingOver }: ReplicaStatus): Problem[] => {
  const held = takingOver.filter(one => !isGoingOn(one))
  const [first] = held
  if (first === undefined) return []
  const events = held.reduce((sum, { waitingEvents }) => sum + waitingEvents, 0)
  return [
    {
      item,
      part: 'replica',
      code: 'WARN',
      word: 'Takeover waits',
      problem: `${held.length === 1 ? `The log of a lost collector, ${first.id}, is` : `The logs of ${held.length} lost collectors are`} not in the file system yet: ${first.problem}`,
      since: undefined,
      // Those of a log that is not taken yet are not counted.
      meaning: `${events > 0 ? `${events} accepted` : 'Accepted'} events are in HDFS and in no event file yet.`,
      advice: 'It is retried by itself. See what fails.',
      command: 'sluice health',
      runbook: 'docs/runbook.md#sluicetakenover',
    },
  ]
}
