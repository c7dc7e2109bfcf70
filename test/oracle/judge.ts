import { join } from 'node:path'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { createNodeDisk } from '../../src/spool/disk/node-disk.ts'
import { readLedger } from '../../src/spool/ledger.ts'
import type { ClientLedger } from '../suites/ledger-of-client.ts'
import { readFiles } from '../suites/spool.ts'
import { isAsSent, type Line, parseLine, type Route } from './contents.ts'

/** Entries of a list that a sentence shows. */
const maxShown = 8

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
  const lines: Line[] = []
  const unreadable: string[] = []
  const files = await readFiles(fileSystem, outputDirectory)
  for (const [path, bytes] of files) {
    const texts = new TextDecoder('utf-8', { fatal: true }).decode(bytes).split('\n')
    if (texts.pop() !== '') unreadable.push(`${path} ends within a line`)
    for (const text of texts) {
      try {
        lines.push(parseLine(text))
      } catch (error) {
        unreadable.push(`${path}: ${(error as Error).message}: ${text.slice(0, 200)}`)
      }
    }
  }
  const { lost, twice, unknown } = client.compare(lines.map(({ event }) => event))
  const changed = lines.filter(line => {
    const route = routeOf.get(line.event)
    return route !== undefined && !isAsSent(line, route)
  })
  const state = await readLedger(createNodeDisk({ directory: join(dataDirectory, '.diskpool') }))
  const left = [...state.files.values()].filter(record => record.state.at !== 'committed')
  const show = (what: string, events: readonly number[]): string[] =>
    events.length === 0 ? [] : [`${events.length} ${what}: ${events.slice(0, maxShown).map(toShown).join(', ')}`]
  const toShown = (event: number): string => `${event} (${routeOf.get(event) ?? 'never sent'})`
  return {
    found: lines.length,
    problems: [
      ...show('acknowledged and lost', lost),
      ...show('more than once', twice),
      ...show('never issued', unknown),
      ...changed.slice(0, maxShown).map(line => `not as sent: ${JSON.stringify(line)}`),
      ...unreadable.slice(0, maxShown),
      ...left.map(({ file, state: { at } }) => `${file.name} is still ${at} in the spool`),
      ...(state.flushedEvents === lines.length
        ? []
        : [`the spool counts ${state.flushedEvents} events in the file system, ${lines.length} are there`]),
    ],
  }
}
