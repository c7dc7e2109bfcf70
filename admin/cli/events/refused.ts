/** Refused events, as the management finds them and sends them in again. */
import type { RpcClient } from '../../client/rpc-client.ts'
import { CliError } from '../command/failure.ts'
import { beanNames } from '../server/collector-beans.ts'

/** A refused event, or a request of which nothing was kept. */
export type ShownRefusedEvent = {
  readonly id: string
  /** ms since the epoch. */
  readonly when: number
  readonly kind: string
  readonly code: string
  readonly detail: string
  readonly type: string
  readonly peer: string
  readonly api: string
  readonly position?: number | null
  readonly events: number
  readonly method: string
  readonly target: string
  readonly contentType?: string | null
  readonly bytes: number
  readonly isCut: boolean
  readonly notReplayable?: string
  readonly isReplayed: boolean
}

/** The same with what was sent. */
export type ShownRefusal = ShownRefusedEvent & {
  readonly sent?: string
  readonly sentBase64?: string
  readonly mark?: { readonly start: number; readonly end: number }
}

/** What became of one that was sent in again. */
export type ShownReplay = {
  readonly id: string
  readonly outcome:
    | 'accepted'
    | 'before'
    | 'duplicate'
    | 'filtered'
    | 'refused'
    | 'superseded'
    | 'not-replayable'
    | 'not-found'
    | 'errored'
    | 'failed'
  readonly accepted: number
  readonly detail: string
}

/** Which refused events are looked for. */
export type RefusedFilter = {
  /** Event names; `_unknown` for those that could not be read. Empty for all. */
  readonly types: readonly string[]
  readonly code?: string | undefined
  /** ms since the epoch. */
  readonly since?: number | undefined
}

/** Rows of a page, and events that one call sends in again. */
const pageRows = 200

/** All of them, the newest first, page by page. @param toWait hears how many are not in files yet */
export async function* listRefusedEvents(
  rpc: RpcClient,
  operation: 'list' | 'export',
  { types, code = '', since = 0 }: RefusedFilter,
  toWait: (events: number) => void = () => {},
): AsyncGenerator<ShownRefusal, void, undefined> {
  const { refused } = await beanNames(rpc)
  const to = Date.now()
  for (let before = ''; ; ) {
    const args = [types, code, since, to, before, pageRows]
    const page = (await rpc.exec(refused, operation, args)) as Page
    if (before === '') toWait(page.waiting ?? 0)
    yield* page.rows
    if (page.next === undefined) return
    before = page.next
  }
}

type Page = { readonly rows: readonly ShownRefusal[]; readonly next?: string; readonly waiting?: number }

/** One, with what was sent. */
export const showRefusedEvent = async (rpc: RpcClient, id: string): Promise<ShownRefusal> =>
  (await rpc.exec((await beanNames(rpc)).refused, 'show', [id])) as ShownRefusal

/**
 * Sends them in again, each once; what was not its turn any more is asked for again while others get in.
 * @param onProgress hears how many are done
 */
export const replayRefusedEvents = async (
  rpc: RpcClient,
  ids: readonly string[],
  onProgress: (done: number) => void = () => {},
): Promise<readonly ShownReplay[]> => {
  const { refused } = await beanNames(rpc)
  const outcomes: ShownReplay[] = []
  for (let left = ids; left.length > 0; ) {
    const asked = left.slice(0, pageRows)
    const answer = (await rpc.exec(refused, 'replay', [asked])) as { readonly outcomes: readonly ShownReplay[] }
    const done = answer.outcomes.filter(({ outcome }) => outcome !== 'failed')
    outcomes.push(...done)
    onProgress(outcomes.length)
    if (done.length === 0) {
      const detail = answer.outcomes[0]?.detail ?? ''
      throw new CliError(`${outcomes.length} of ${ids.length} were sent again, then: ${detail}`, {
        code: 'replay-failed',
        hint: 'Call it again later: none goes in twice.',
      })
    }
    const known = new Set(done.map(({ id }) => id))
    left = left.filter(id => !known.has(id))
  }
  return outcomes
}
