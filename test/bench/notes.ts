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
    why: 'As in P1; the bare server here splits the query at commas and reads no values, while Sluice decodes each to its type. The machine is noisy: rounds of three days gave 0.50 to 1.09, as the cores ran fast for one side and slow for the other.',
    profile:
      '15.7 % `writeLatin1String` (sockets), 9.9 % the engine itself, 8.2 % `postMessage` (to the thread that syncs), 4.4 % garbage collector, 2.4 % `writeText` src/collector/parsers/query.ts, 2.1 % `crc32`, 1.8 % `decodeForm` src/contract/query.ts',
  },
  {
    id: 'P3',
    why: 'Near its goal (0.45 to 0.97 in the rounds of three days): the bare server parses a batch and writes it; Sluice also checks, frames and counts each event of it and notes its file.',
    profile:
      '28.9 % `parseNatively` src/collector/parsers/json.ts, 13.3 % garbage collector, 6.4 % `postMessage` (to the thread that syncs), 4.7 % `claim` src/spool/open-buckets.ts, 4.2 % `writeBuffer` (sockets), 2.9 % `crc32`, 2.5 % `write` src/spool/record.ts',
  },
  {
    id: 'P7',
    what: 'one Smile event',
    why: 'As many as of JSON when the same was measured again by itself a quarter of an hour later: five rounds of 2 s gave 0.77 to 1.17 and 1.00 in the middle, at 39 K/s on both sides. In the run of this page the cores probably slowed down for these minutes: JSON alone fell from 32 to 19 K/s between the rounds.',
  },
  {
    id: 'G1',
    why: 'As a client, `node:http` copies every piece of a body; the bare pipe uses `fetch`, which does not, but can end the process when a data node closes early. Where the bare pipe itself stays below the absolute goal, that is what name node, data node, server and client get on the cores of one machine.',
    profile:
      '29 % parser with its copy of the body, 25 % socket write, 14 % collection of those copies, 12 % the engine itself; all of src/ a few per cent',
  },
  {
    id: 'G2',
    what: 'download',
    why: 'Three rounds gave 59 to 73 MB, the run before 54, and a file of 4 GB 59 MB (`--gigabytes 4`): it does not grow with the file. Probably it is garbage, pieces of 256 KB that gather until the young generation is collected, whose halves have 32 MB with the options of `npm start`; the bare pipe has 50 to 54 MB of it.',
  },
  {
    id: 'G3',
    why: "What the bare server does is one read of the file; here it is a call to the reader's process and back, the checks of the contract, the path (no link may lead out), the kind of the file by its first bytes, and the rows. No more than 0.03 MB are read (0.26 before), and a sequence file takes what text takes (7.4 × before).",
  },
  {
    id: 'G8',
    why: 'All 1 000 come within a second, on one core with the reader, which begins with 256 of them (`gateway.max-reads`) and decodes some hundred kilobytes for each, while the others are refused: that second is in the figure. Memory is that of both processes; some 0.3 MB stay for each read that stands still, and a reader may gather 128 MB of garbage before it is collected (with half of that rows take a third more processor). Before readers it was 1.4 to 2.2 GB.',
  },
  {
    id: 'O1',
    why: 'nginx reads no value, keeps no event apart from others, and answers before it writes: a power cut takes what was answered. Sluice decodes each value, and answers when the group of the event is synced.',
  },
  {
    id: 'A2',
    why: 'The figure is the slowest 1 % of a second, in rounds whose undisturbed side alone had 1.5 to 94 ms; in the middle it is lower with the poll (2.44 ms) than without (2.67), but in six rounds of ten it was higher. The management is made in turns, the longest of 0.4 to 0.5 ms with few event types; p50 and CPU are the same.',
  },
  {
    id: 'R17',
    why: 'The figure is the slowest 1 % at a fixed rate, between rounds that differ by as much among themselves (0.64 to 1.55 in two days); p50 and CPU are nearly the same, and no request is refused.',
    profile:
      '25.9 % `postMessage` (to the thread that syncs, which runs on the same core), 20.7 % `writeLatin1String` (sockets), 10.5 % the engine itself, 4.4 % `parseNatively` src/collector/parsers/json.ts; nothing of the brokers above 1 %',
  },
]

/** What is to be said of a figure that misses its goal. */
export const noteOf = (
  { id, what }: Pick<FigureFacts, 'id' | 'what'>,
  from: readonly Note[] = notes,
): Note | undefined => from.find(note => note.id === id && (note.what === undefined || what.includes(note.what)))
