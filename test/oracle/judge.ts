import { join } from 'node:path'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { openRows } from '../../src/rows/create-open-rows.ts'
import { noRegistrar } from '../../src/rows/registrar.ts'
import { createNodeDisk } from '../../src/spool/disk/node-disk.ts'
import { readLedger } from '../../src/spool/ledger.ts'
import type { ClientLedger } from '../suites/ledger-of-client.ts'
import { type FoundEvent, isAsSent, type Route, toFoundEvent } from './contents.ts'
import { listFiles } from './walk.ts'

/** Entries of a list that a sentence shows. */
const maxShown = 8
/** Files read at the same time. */
const readers = 6

export type Judgement = {
  /** Events in the file system. */
  readonly found: number
  /** Sentences; empty when all is well. */
  readonly problems: readonly string[]
}

/** Holds the file system and the spool's ledger against the ledger of the clients; the server has ended. */
export const judge = async (
  fileSystem: FileSystem,
  {
    client,
    routeOf,
    outputDirectory,
    dataDirectory,
  }: {
    readonly client: ClientLedger
    readonly routeOf: ReadonlyMap<number, Route>
    readonly outputDirectory: string
    readonly dataDirectory: string
  },
): Promise<Judgement> => {
  const events: FoundEvent[] = []
  const unreadable: string[] = []
  const files = [...(await listFiles(fileSystem, outputDirectory))]
  const read = async (): Promise<void> => {
    for (let status = files.pop(); status; status = files.pop()) {
      try {
        const { batches } = await openRows({ fileSystem, status, registrar: noRegistrar, serializers: [] })
        for await (const { rows } of batches) events.push(...rows.map(toFoundEvent))
      } catch (error) {
        unreadable.push(`${status.path}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: readers }, read))
  const { lost, twice, unknown } = client.compare(events.map(({ event }) => event))
  const changed = events.filter(event => {
    const route = routeOf.get(event.event)
    return route !== undefined && !isAsSent(event, route)
  })
  const state = await readLedger(createNodeDisk({ directory: join(dataDirectory, '.diskpool') }))
  const left = [...state.files.values()].filter(record => record.state.at !== 'committed')
  const show = (what: string, which: readonly number[]): string[] =>
    which.length === 0 ? [] : [`${which.length} ${what}: ${which.slice(0, maxShown).map(toShown).join(', ')}`]
  const toShown = (event: number): string => `${event} (${routeOf.get(event) ?? 'never sent'})`
  return {
    found: events.length,
    problems: [
      ...show('acknowledged and lost', lost),
      ...show('more than once', twice),
      ...show('never issued', unknown),
      ...changed.slice(0, maxShown).map(event => `not as sent: ${JSON.stringify(event)}`),
      ...unreadable.slice(0, maxShown),
      ...left.map(({ file, state: { at } }) => `${file.name} is still ${at} in the spool`),
      ...(state.flushedEvents === events.length
        ? []
        : [`the spool counts ${state.flushedEvents} events in the file system, ${events.length} are there`]),
    ],
  }
}
