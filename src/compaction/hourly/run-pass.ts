import { startTimeout } from '../../runtime/timers.ts'
import type { PassNews, PassScope } from './news.ts'

/** A process that makes a pass over the tables. */
export type PassProcess = {
  /** Resolves when it is no longer there, with why. */
  readonly ended: Promise<string>
  /** Ends it at once. */
  kill(): void
}

export type StartPassProcess = (scope: PassScope, onNews: (news: PassNews) => void) => PassProcess

/** A pass over the tables. */
export type Pass = {
  /** Resolves when it is over, also where it was stopped. */
  readonly ended: Promise<void>
  stop(): void
}

/** Without a word for so long, in ms, what a process does hangs. It says something every few seconds. */
const silenceMs = 300_000

/**
 * Makes a pass in a process of its own. A table at which that hangs or ends is left out, and another process does
 * the others.
 */
export const runPass = (
  startProcess: StartPassProcess,
  scope: Omit<PassScope, 'skip'>,
  onNews: (news: PassNews) => void,
): Pass => {
  const over = new Set<string>()
  let child: PassProcess | undefined
  let isStopped = false

  /** @returns whether there is more to do */
  const runOne = async (): Promise<boolean> => {
    const said: { table: string | undefined; isDone: boolean; isSilent: boolean } = {
      table: undefined,
      isDone: false,
      isSilent: false,
    }
    const watch = (): NodeJS.Timeout =>
      startTimeout(() => {
        said.isSilent = true
        started.kill()
      }, silenceMs)
    const started = startProcess({ ...scope, skip: [...over] }, news => {
      clearTimeout(silence)
      silence = watch()
      if (news.kind === 'begins') said.table = news.table
      if (news.kind === 'ended') {
        over.add(news.table)
        said.table = undefined
      }
      if (news.kind === 'done') said.isDone = true
      if (!isStopped) onNews(news)
    })
    let silence = watch()
    child = started
    const reason = await started.ended
    clearTimeout(silence)
    if (isStopped || said.isDone) return false
    const { table, isSilent } = said
    const why = isSilent ? `nothing was heard of it for ${silenceMs / 1_000} s` : `the process of the pass ${reason}`
    onNews({ kind: 'failed', table, hour: undefined, reason: why })
    if (table === undefined) return false
    over.add(table)
    return true
  }
  const runAll = async (): Promise<void> => {
    let goesOn = true
    while (goesOn) goesOn = await runOne()
  }
  return {
    ended: runAll(),
    stop: () => {
      isStopped = true
      child?.kill()
    },
  }
}
