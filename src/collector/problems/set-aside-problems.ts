import type { SpoolForPerson } from '../../spool/replica/replica-status.ts'
import type { Problem, ProblemCode } from '../problems.ts'

const item = 'SetAsideHealthCheck'

/** Spools that are named. */
const maxNamed = 10

/** The report speaks of spools that were set aside where they wait for a person. */
export const toSetAsideItem = (
  spools: readonly SpoolForPerson[],
): { readonly type: string; readonly code: ProblemCode; readonly message: string }[] => {
  if (spools.length === 0) return []
  const more = spools.length > maxNamed ? [`and ${spools.length - maxNamed} more`] : []
  const named = spools.slice(0, maxNamed).map(({ directory, problem }) => `${directory} waits for a person: ${problem}`)
  return [{ type: item, code: 'WARN', message: [...named, ...more].join(', ') }]
}

/** What that means, and what to do. */
export const toSetAsideProblems = (spools: readonly SpoolForPerson[]): Problem[] => {
  const [first] = spools
  if (first === undefined) return []
  const others = spools.slice(1, maxNamed).map(({ directory }) => directory)
  const also = others.length === 0 ? '' : ` (others: ${others.join(', ')})`
  return [
    {
      item,
      part: 'spool',
      code: 'WARN',
      word: 'Set aside',
      problem: `An earlier spool of this collector waits for a person${also}: ${first.problem}`,
      since: undefined,
      meaning: 'Events in it may be on this disk alone.',
      advice: first.advice,
      command: `sluice spool verify --spool ${first.directory}`,
      runbook: 'docs/runbook.md#sluicefenced',
    },
  ]
}
