import type { LedgerState } from '../../src/spool/ledger/ledger-state.ts'
import { readEvents } from '../foreign/read-events.ts'
import type { Store } from '../foreign/store.ts'
import type { ClientLedger } from '../suites/ledger-of-client.ts'
import { isAsSent, type Route, toContents } from './contents.ts'

/** Entries of a list that a sentence shows. */
const maxShown = 8

/** What is held against what. */
export type Evidence = {
  /** The file system, as programs of other make see it. */
  readonly store: Store
  /** Where events went. */
  readonly outputDirectory: string
  readonly client: ClientLedger
  /** The way that each event went, by its number. */
  readonly routeOf: ReadonlyMap<number, Route>
  /** The spool's ledger, after its server has ended. */
  readonly spool: Pick<LedgerState, 'files' | 'flushedEvents'>
  /** Whether files keep the order of fields: those with columns have their own. @default true */
  readonly isOrdered?: boolean
}

export type Judgement = {
  /** Events in the file system. */
  readonly found: number
  /** Sentences; empty when all is well. */
  readonly problems: readonly string[]
}

/** Holds the file system and the spool's ledger against the ledger of the clients. */
export const judge = async ({
  store,
  outputDirectory,
  client,
  routeOf,
  spool,
  isOrdered,
}: Evidence): Promise<Judgement> => {
  const stored = await readEvents(store, outputDirectory)
  const { unreadable } = stored
  const events = stored.events.map(toContents)
  const { lost, twice, unknown } = client.compare(events.map(({ event }) => event))
  const changed = events.filter(event => {
    const route = routeOf.get(event.event)
    return route !== undefined && !isAsSent(event, route, { isOrdered })
  })
  const left = [...spool.files.values()].filter(({ state }) => state.at !== 'committed')
  const name = (event: number): string => `${event} (${routeOf.get(event) ?? 'never sent'})`
  return {
    found: events.length,
    problems: [
      ...toSentence('acknowledged and lost', lost.map(name)),
      ...toSentence('more than once', twice.map(name)),
      ...toSentence('never issued', unknown.map(name)),
      ...toSentence(
        'not as sent',
        changed.map(event => JSON.stringify(event)),
      ),
      ...toSentence('files that cannot be read', unreadable),
      ...toSentence(
        'files still in the spool',
        left.map(({ file, state }) => `${file.name} (${state.at})`),
      ),
      ...(spool.flushedEvents === events.length
        ? []
        : [`the spool counts ${spool.flushedEvents} events in the file system, ${events.length} are there`]),
    ],
  }
}

const toSentence = (what: string, which: readonly string[]): readonly string[] =>
  which.length === 0 ? [] : [`${which.length} ${what}: ${which.slice(0, maxShown).join(', ')}`]
