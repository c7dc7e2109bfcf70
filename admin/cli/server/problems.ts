import { isRecord } from '../../../src/is-record.ts'
import type { RpcClient } from '../../client/rpc-client.ts'
import type { Attributes } from '../../client/types.ts'
import { type BeanNames, readBeans, textOf } from './collector-beans.ts'

/** A subsystem of the health report. */
export type ShownItem = { readonly type: string; readonly code: 'OK' | 'WARN' | 'ERROR'; readonly message: string }

/** What is wrong, as the server says it: the console has the same. */
export type ShownProblem = {
  /** ERROR while events are refused or lost. */
  readonly code: 'WARN' | 'ERROR'
  /** The part of the server: intake, spool, flush, filesystem, realtime, server. */
  readonly part: string
  /** The cause first. */
  readonly problem: string
  /** ISO 8601; null where it is not known. */
  readonly since: string | null
  /** What it means for events. */
  readonly meaning: string
  readonly advice: string
  /** What to call next. */
  readonly command: string
  /** The paragraph of the runbook. */
  readonly runbook: string
}

/** The items of the bean Health; none of a server that has no such bean. */
export const toItems = (value: unknown): readonly ShownItem[] =>
  typeof value === 'object' && value !== null ? Object.values(value).filter(isItem) : []

const isItem = (value: unknown): value is ShownItem =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  'message' in value &&
  'code' in value &&
  ['OK', 'WARN', 'ERROR'].includes(String(value.code))

/** Everything that is wrong, worst first, of the attributes of the bean Health; of a server before 0.2 its health items. */
export const toShownProblems = (health: Attributes): readonly ShownProblem[] => {
  const { Problems: told } = health
  if (Array.isArray(told)) return told.filter(isRecord).map(toProblem)
  return toItems(health['Items'])
    .filter(({ code }) => code !== 'OK')
    .map(({ type, code, message }) =>
      toProblem({
        code,
        problem: `${partOf(type)}: ${message}`,
        advice: 'See the whole report.',
        command: 'sluice health',
      }),
    )
}

/** Asks the server what is wrong. */
export const readProblems = async (
  rpc: RpcClient,
  { health: name }: Pick<BeanNames, 'health'>,
): Promise<readonly ShownProblem[]> => {
  const [health = {}] = await readBeans(rpc, [name])
  return toShownProblems(health)
}

/** `Writer` of `WriterHealthCheck`. */
export const partOf = (type: string): string => type.replace(/HealthCheck$/, '')

const toProblem = (told: Attributes): ShownProblem => {
  const { since } = told
  return {
    code: told['code'] === 'ERROR' ? 'ERROR' : 'WARN',
    part: textOf(told, 'part'),
    problem: textOf(told, 'problem'),
    since: typeof since === 'number' ? new Date(since).toISOString() : null,
    meaning: textOf(told, 'meaning'),
    advice: textOf(told, 'advice'),
    command: textOf(told, 'command'),
    runbook: textOf(told, 'runbook'),
  }
}
