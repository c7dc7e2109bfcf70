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
  const named = spools.slice(0, maxNamed).map(({ directory, problem }) => `${directory}: ${problem}`)
  return [{ type: item, code: 'WARN', message: [...named, ...more].join(', ') }]
}

/** What that means, and what to do. */
export const toSetAsideProblems = (spools: readonly SpoolForPerson[]): Problem[] => {
  const [first] = spools
  if (first === undefined) return []
  const rest = spools.length - 1
  const which = rest === 0 ? '' : ` and ${rest} more`
  return [
    {
      item,
      part: 'spool',
      code: 'WARN',
      word: 'Set aside',
      problem: `An earlier spool of this collector waits for a person, ${first.directory}${which}: ${first.problem}`,
      since: undefined,
      meaning:
        'What another collector found of its log is in the file system; what it did not find may be on this disk alone.',
      advice: 'Do not delete it before you know what it has. The runbook says how.',
      command: `sluice spool verify --spool ${first.directory}`,
      runbook: 'docs/runbook.md#sluicefenced',
    },
  ]
}
