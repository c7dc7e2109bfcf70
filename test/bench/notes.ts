import type { FigureFacts } from './figure.ts'

/** Why a figure is short of its goal. Only shown on the page while it is. */
export type Note = {
  readonly id: FigureFacts['id']
  /** Where an id has several figures: those whose `what` holds this. @default all of them */
  readonly what?: string
  /** Sentences for the page. */
  readonly why: string
  /** Where the time of the main thread goes, as `npm run bench -- ID --notes` prints it; ends without a full stop. */
  readonly profile?: string
}

/** In the order of the table; the first one that fits counts. */
export const notes: readonly Note[] = [
  {
    id: 'P1',
    why: 'HTTP, `JSON.parse` and the sync cost both sides the same; Sluice also checks each event, frames it with its length and a CRC, counts it, notes its file, and hands it to the thread that syncs.',
    profile:
      '12.5 % `postMessage` (to the thread that syncs), 10.7 % the engine itself, 9.0 % `writeLatin1String` (sockets), 4.6 % `parseNatively` src/collector/parsers/json.ts, 2.6 % `claim` src/spool/open-buckets.ts',
  },
  {
    id: 'P2',
    why: 'As in P1; the bare server here splits the query at commas and reads no values, while Sluice decodes each to its type. The machine is noisy: sixteen rounds in one day gave 0.50 to 0.99 (0.8 in the middle), as the cores ran fast for one side and slow for the other.',
    profile:
      '15.7 % `writeLatin1String` (sockets), 9.9 % the engine itself, 8.2 % `postMessage` (to the thread that syncs), 4.4 % garbage collector, 2.4 % `writeText` src/collector/parsers/query.ts, 2.1 % `crc32`, 1.8 % `decodeForm` src/contract/query.ts',
  },
  {
    id: 'P3',
    why: 'Near its goal (0.54 in the run before): the bare server parses a batch and writes it; Sluice also checks, frames and counts each event of it and notes its file.',
  },
  {
    id: 'G1',
    why: 'As a client, `node:http` copies every piece of a body; the bare pipe uses `fetch`, which does not, but can end the process when a data node closes early. Where the bare pipe itself stays below the absolute goal, that is what name node, data node, server and client get on the cores of one machine.',
    profile:
      '29 % parser with its copy of the body, 25 % socket write, 14 % collection of those copies, 12 % the engine itself; all of src/ a few per cent',
  },
  {
    id: 'A2',
    what: 'sequence file',
    why: 'Reading rows shares the main thread with intake, in slices, and in this set-up also the one core of the server, which is busy all of the time then (246 µs of CPU for an event). What waits longest waits for a full collection of garbage, one in several seconds; most of them are gone since unfolded blocks leave none (13 × before).',
  },
  {
    id: 'A2',
    why: 'The figure is the slowest 1 % at a fixed rate, here a matter of tenths of a millisecond; p50 and CPU hardly differ.',
  },
  {
    id: 'R17',
    why: 'The figure is the slowest 1 % at a fixed rate, here half a millisecond to one and a half more than without a broker, between rounds that differ by as much among themselves (0.99 to 1.55); p50 and CPU are nearly the same, and no request is refused.',
  },
]

/** What is to be said of a figure that misses its goal. */
export const noteOf = (
  { id, what }: Pick<FigureFacts, 'id' | 'what'>,
  from: readonly Note[] = notes,
): Note | undefined => from.find(note => note.id === id && (note.what === undefined || what.includes(note.what)))
