import { type Bean, type BeanOperation, defineBean } from '../../src/beans/bean.ts'
import { BeanError } from '../../src/beans/bean-error.ts'

/** A piece in `_quarantine/` or `_taken/`, as the spool knows it. */
export type SetAsideFigure = {
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly kind: string
  readonly events: number
  readonly reason: string
  readonly oldest?: number
}

/** The outcome for one of the names of a call. */
export type SetAsideOutcome = { readonly name: string; readonly done: boolean; readonly detail: string }

/** What is set aside in the spool, as its bean sees and steers it. */
export type QuarantineFigures = {
  readonly list: () => Promise<readonly SetAsideFigure[]>
  readonly release: (names: readonly string[]) => Promise<readonly SetAsideOutcome[]>
  readonly releaseUnderNewName: (names: readonly string[]) => Promise<readonly SetAsideOutcome[]>
  readonly remove: (names: readonly string[]) => Promise<readonly SetAsideOutcome[]>
}

/** Pieces in one answer; the others come once these are taken care of. */
const maxListed = 1_000

/** The object name of {@link quarantineBean}. */
export const quarantineName = (vendor: string): string => `${vendor}.metrics.collector:name=Quarantine`

/** Files that were set aside with a reason, and those that the file system may have. */
export const quarantineBean = (
  vendor: string,
  { list, release, releaseUnderNewName, remove }: QuarantineFigures,
): Bean =>
  defineBean({
    name: quarantineName(vendor),
    description:
      'Pieces that the spool has set aside: bucket files that the file system refused, those whose RENAME had no answer (taken), and damaged pieces of the log.',
    operations: {
      list: {
        arguments: [],
        returns: 'map',
        description: `The pieces with kind, bytes, events and reason, ${maxListed} at most; "total" counts all. "oldest": when the oldest event in it came, ms since the epoch.`,
        isQuery: true,
        invoke: async () => {
          const files = await list()
          return { files: files.slice(0, maxListed), total: files.length }
        },
      },
      release: onNames(
        'Puts bucket files back into the queue; the next commit takes them. Of the kind "taken" only those that the file system surely does not have: it would have their events twice.',
        release,
      ),
      releaseUnderNewName: onNames(
        'Puts bucket files of the kind "conflict" back, to go beside the files that have their names in the file system. Only those whose events these do not hold: they would be there twice.',
        releaseUnderNewName,
      ),
      remove: onNames('Deletes pieces permanently, with the events in them.', remove),
    },
  })

const onNames = (
  description: string,
  change: (names: readonly string[]) => Promise<readonly SetAsideOutcome[]>,
): BeanOperation => ({
  arguments: [{ name: 'names', type: 'string[]' }],
  returns: 'map',
  description,
  invoke: async names => {
    const outcomes = await change((names as readonly unknown[]).map(String))
    if (!outcomes.some(({ done }) => done))
      throw new BeanError('failed', outcomes.map(({ name, detail }) => `${name} ${detail}`).join('; ') || 'No names')
    return { outcomes }
  },
})
