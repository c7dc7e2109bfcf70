import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { openRows } from '../../src/rows/create-open-rows.ts'
import { noRegistrar } from '../../src/rows/registrar.ts'
import type { LedgerState } from '../../src/spool/ledger-state.ts'
import type { ClientLedger } from '../suites/ledger-of-client.ts'
import { type FoundEvent, isAsSent, type Route, toFoundEvent } from './contents.ts'
import { listFiles } from './walk.ts'

/** Entries of a list that a sentence shows. */
const maxShown = 8
/** Files read at the same time. */
const readers = 6

/** What is held against what. */
export type Evidence = {
  readonly fileSystem: FileSystem
  /** Where events went. */
  readonly outputDirectory: string
  readonly client: ClientLedger
  /** The way that each event went, by its number. */
  readonly routeOf: ReadonlyMap<number, Route>
  /** The spool's ledger, after its server has ended. */
  readonly spool: Pick<LedgerState, 'files' | 'flushedEvents'>
}

export type Judgement = {
  /** Events in the file system. */
  readonly found: number
  /** Sentences; empty when all is well. */
  readonly problems: readonly string[]
}

/** Holds the file system and the spool's ledger against the ledger of the clients. */
export const judge = async ({ fileSystem, outputDirectory, client, routeOf, spool }: Evidence): Promise<Judgement> => {
  const { events, unreadable } = await readEvents(fileSystem, outputDirectory)
  const { lost, twice, unknown } = client.compare(events.map(({ event }) => event))
  const changed = events.filter(event => {
    const route = routeOf.get(event.event)
    return route !== undefined && !isAsSent(event, route)
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

const readEvents = async (
  fileSystem: FileSystem,
  directory: string,
): Promise<{ readonly events: readonly FoundEvent[]; readonly unreadable: readonly string[] }> => {
  const events: FoundEvent[] = []
  const unreadable: string[] = []
  const files = [...(await listFiles(fileSystem, directory))]
  const read = async (): Promise<void> => {
    for (let status = files.pop(); status; status = files.pop()) {
      try {
        const { batches } = await openRows({ fileSystem, status, registrar: noRegistrar, serializers: [] })
        for await (const { rows } of batches) for (const row of rows) events.push(toFoundEvent(row))
      } catch (error) {
        unreadable.push(`${status.path}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: readers }, read))
  return { events, unreadable }
}

const toSentence = (what: string, which: readonly string[]): readonly string[] =>
  which.length === 0 ? [] : [`${which.length} ${what}: ${which.slice(0, maxShown).join(', ')}`]
