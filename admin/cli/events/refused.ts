/** Refused events, as the management finds them and sends them in again. */
import type {
  PageRest,
  RefusedDetail,
  RefusedDetails,
  RefusedLine,
  RefusedLines,
  ReplayOutcome,
} from '../../../src/refused/refused-answers.ts'
import type { RpcClient } from '../../client/rpc-client.ts'
import { CliError } from '../command/failure.ts'
import { beanNames } from '../server/collector-beans.ts'

/** Which refused events are wanted. */
export type RefusedFilter = {
  /** Event names; `_unknown` for those that could not be read. Empty for all. */
  readonly types: readonly string[]
  readonly code?: string | undefined
  /** ms since the epoch. */
  readonly since?: number | undefined
}

/** Rows of a page: the server looks through an hour for each. */
const pageRows = 5_000

/** Events that one call sends in again: progress is seen between two. */
const replaysAtOnce = 200

/** All of them, the newest first, page by page. @param onPage hears what a page says beside its rows */
export async function* listRefusedEvents(
  rpc: RpcClient,
  filter: RefusedFilter,
  onPage: (page: Omit<RefusedLines, 'rows'>) => void = () => {},
): AsyncGenerator<RefusedLine, void, undefined> {
  for await (const { rows, ...rest } of pages<RefusedLines>(rpc, 'list', filter)) {
    onPage(rest)
    yield* rows
  }
}

/** Ids of all of them, the oldest first. @param onProgress hears how many are found */
export const findRefusedIds = async (
  rpc: RpcClient,
  filter: RefusedFilter,
  onPage: (page: Omit<RefusedLines, 'rows'>) => void,
  onProgress: (found: number) => void,
): Promise<readonly string[]> => {
  const found: string[] = []
  for await (const { id } of listRefusedEvents(rpc, filter, onPage)) onProgress(found.push(id))
  return found.reverse()
}

/** The same as {@link listRefusedEvents}, with what was sent. */
export async function* exportRefusedEvents(
  rpc: RpcClient,
  filter: RefusedFilter,
  onPage: (page: PageRest) => void = () => {},
): AsyncGenerator<RefusedDetail, void, undefined> {
  for await (const { rows, ...rest } of pages<RefusedDetails>(rpc, 'export', filter)) {
    onPage(rest)
    yield* rows
  }
}

async function* pages<Page extends PageRest>(
  rpc: RpcClient,
  operation: 'list' | 'export',
  { types, code = '', since = 0 }: RefusedFilter,
): AsyncGenerator<Page, void, undefined> {
  const { refused } = await beanNames(rpc)
  const to = Date.now()
  for (let before: string | undefined = ''; before !== undefined; ) {
    const page = (await rpc.exec(refused, operation, [types, code, since, to, before, pageRows])) as Page
    yield page
    before = page.next
  }
}

/** One, with what was sent. */
export const showRefusedEvent = async (rpc: RpcClient, id: string): Promise<RefusedDetail> =>
  (await rpc.exec((await beanNames(rpc)).refused, 'show', [id])) as RefusedDetail

/**
 * Sends them in again, each once; what was not its turn any more is asked for again while others get in.
 * @param onProgress hears how many are done
 */
export const replayRefusedEvents = async (
  rpc: RpcClient,
  ids: readonly string[],
  onProgress: (done: number) => void = () => {},
): Promise<readonly ReplayOutcome[]> => {
  const { refused } = await beanNames(rpc)
  const outcomes: ReplayOutcome[] = []
  let late: readonly string[] = []
  for (let next = 0; next < ids.length || late.length > 0; ) {
    const added = ids.slice(next, next + replaysAtOnce - late.length)
    const asked = [...late, ...added]
    next += added.length
    const answer = (await rpc.exec(refused, 'replay', [asked])) as { readonly outcomes: readonly ReplayOutcome[] }
    const done = answer.outcomes.filter(({ outcome }) => outcome !== 'failed')
    outcomes.push(...done)
    onProgress(outcomes.length)
    if (done.length === 0) {
      const detail = answer.outcomes[0]?.detail ?? ''
      throw new CliError(`${outcomes.length} of ${ids.length} were replayed, then: ${detail}`, {
        code: 'replay-failed',
        hint: 'Retry later; no event counts twice.',
      })
    }
    const known = new Set(done.map(({ id }) => id))
    late = asked.filter(id => !known.has(id))
  }
  return outcomes
}
