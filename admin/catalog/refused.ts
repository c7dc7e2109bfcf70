import { attribute, type Bean, type BeanOperation, defineBean } from '../../src/beans/bean.ts'

/** Which refused events are wanted. */
export type RefusedSearch = {
  /** Empty for all. */
  readonly types: readonly string[]
  readonly code: string | undefined
  /** First and last moment, ms since the epoch. */
  readonly from: number
  readonly to: number
  /** The id after which the page begins; undefined for the newest. */
  readonly before: string | undefined
  readonly limit: number
}

/** What the bean of refused events looks at and steers. */
export type RefusedView = {
  /** Their outcomes, since the start. */
  readonly figures: Readonly<Record<'kept' | 'beyondLimit' | 'failed', number>>
  /** Accepted events that had been refused before. */
  readonly replayed: () => number
  readonly list: (search: RefusedSearch) => Promise<unknown>
  readonly export: (search: RefusedSearch) => Promise<unknown>
  readonly show: (id: string) => Promise<unknown>
  readonly replayFound: (search: RefusedSearch) => Promise<unknown>
  readonly replay: (ids: readonly string[]) => Promise<readonly unknown[]>
}

/** The object name of {@link refusedBean}. */
export const refusedName = (vendor: string): string => `${vendor}.metrics.collector:name=Refused`

/** Refused events: what is stored of them, and what becomes of that. All that it does shows events: a reason quotes what was sent. */
export const refusedBean = (vendor: string, view: RefusedView): Bean =>
  defineBean({
    name: refusedName(vendor),
    description:
      'Refused events: rows of _refused in the output directory have the reason and the request. Events that contracts set aside are there as well, and count as accepted.',
    attributes: {
      Kept: attribute(
        'long',
        'Refused events stored as rows since the start; a row may hold several.',
        () => view.figures.kept,
      ),
      BeyondLimit: attribute(
        'long',
        'Those that were only counted: collector.refused.max-bytes-per-hour was reached.',
        () => view.figures.beyondLimit,
      ),
      Failed: attribute(
        'long',
        'Those that were only counted, because the spool did not take them.',
        () => view.figures.failed,
      ),
      Replayed: attribute(
        'long',
        'Events accepted since the start that had been refused, or set aside, and were sent in again by replay. They are among the accepted ones.',
        view.replayed,
      ),
    },
    operations: {
      list: query(
        'Refused events in files, the newest first: all but what was sent. "next" is "before" of the next page; "waiting" counts those of these types that are not in files yet; "isReplayed" says whether one is in by now, by a replay or because its sender sent it again; "unreadable" names files that are damaged, which hide no others. 5,000 at most, and fewer where they are long.',
        view.list,
      ),
      export: query('The same, with what was sent.', view.export),
      show: {
        arguments: [{ name: 'id', type: 'string' }],
        returns: 'map',
        isQuery: true,
        showsEvents: true,
        description:
          'One refused event, with what was sent: "sent" as text, or "sentBase64"; "mark" is the stretch of the text that the reason is about, in UTF-16 units.',
        invoke: id => view.show(String(id)),
      },
      replayFound: search(
        'Replays the refused events that `list` gives for the same arguments, 200 at most; "next" is "before" of the next call.',
        view.replayFound,
      ),
      replay: {
        arguments: [{ name: 'ids', type: 'string[]' }],
        returns: 'map',
        showsEvents: true,
        description:
          'Sends refused events in again, 200 at most, with the date at which they came. Each goes in once, however often this is called, and also when its sender sends it again. Says of each what became of it.',
        invoke: async ids => ({ outcomes: await view.replay((ids as readonly unknown[]).map(String)) }),
      },
    },
  })

const query = (description: string, find: RefusedView['list']): BeanOperation => ({
  ...search(description, find),
  isQuery: true,
})

const search = (description: string, find: RefusedView['list']): BeanOperation => ({
  arguments: [
    { name: 'types', type: 'string[]' },
    { name: 'code', type: 'string' },
    { name: 'from', type: 'long' },
    { name: 'to', type: 'long' },
    { name: 'before', type: 'string' },
    { name: 'limit', type: 'int' },
  ],
  returns: 'map',
  showsEvents: true,
  description: `${description} Of these types ("_unknown": it could not be read; none for all), with this code (empty for all), received from and to (ms since the epoch; 0 as "to" for now), before this id (empty for the newest).`,
  invoke: (types, code, from, to, before, limit) =>
    find({
      types: (types as readonly unknown[]).map(String),
      code: String(code) || undefined,
      from: Number(from),
      to: Number(to) || Number.MAX_SAFE_INTEGER,
      before: String(before) || undefined,
      limit: Number(limit),
    }),
})
