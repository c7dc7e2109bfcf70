import type { Problem, ProblemCode } from '../problems.ts'

/** Threads that take connections in place of the main one. */
export type ThreadFigures = {
  /** As many as there should be. */
  readonly configured: number
  /** Those that take connections. */
  readonly living: number
  /** Those that ended without being asked, since the start. */
  readonly ended: number
  /** Why the last of them did; empty where none has. */
  readonly lastEnd: string
  /** Whether one that ends is replaced: not by other code, when files of the server have changed under it. */
  readonly isReplacing: boolean
}

/** Why nothing can connect; empty where something can. */
export const toThreadRefusal = (threads: ThreadFigures | undefined): string =>
  threads === undefined || threads.living > 0 ? '' : `no thread takes connections: ${threads.lastEnd}`

/** The report does not speak of threads while all of them take connections. */
export const toThreadsItem = (
  threads: ThreadFigures | undefined,
): { readonly type: string; readonly code: ProblemCode; readonly message: string }[] => {
  if (threads === undefined || threads.living >= threads.configured) return []
  const { configured, living, ended, lastEnd, isReplacing } = threads
  const code = living === 0 ? 'ERROR' : 'WARN'
  const words = `${living} of ${configured} threads take connections, ended: ${ended}, the last one: ${lastEnd}`
  return [{ type: item, code, message: isReplacing ? words : `${replaced}, ${words}` }]
}

/** What that means, and what to do. */
export const toThreadProblems = (threads: ThreadFigures | undefined): Problem[] =>
  toThreadsItem(threads).map(({ type, code, message }) => ({
    item: type,
    part: 'intake',
    code,
    word: 'Threads',
    problem: message,
    since: undefined,
    meaning:
      code === 'ERROR'
        ? 'Senders cannot connect and have to retry; what was accepted is kept.'
        : 'The others take all connections: less is taken before requests are refused.',
    advice:
      threads?.isReplacing === false
        ? 'Restart the server: it then runs the new files.'
        : 'They are replaced by themselves. Find the reason in the log of the server.',
    command: 'sluice health',
    runbook: 'docs/runbook.md#sluicethreadsmissing',
  }))

const item = 'EdgeThreadsHealthCheck'
const replaced = 'the files of the server have changed since it started, so that threads are not replaced'
