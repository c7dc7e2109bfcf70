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
    why: 'As in P1; the bare server here splits the query at commas and reads no values, while Sluice decodes each to its type.',
    profile:
      '9.4 % `postMessage` (to the thread that syncs), 6.3 % the engine itself, 5.5 % `writeLatin1String` (sockets), 2.6 % parameters against the contract, 1.8 % `add` src/spool/groups.ts, 1.5 % `formDecode` src/collector/parsers/form-decode.ts',
  },
  {
    id: 'G1',
    why: 'NameNode, DataNode, server and client share the cores of one machine here; where the bare pipe stays below the absolute goal, that is what the machine gives.',
  },
]

/** What is to be said of a figure that misses its goal. */
export const noteOf = (
  { id, what }: Pick<FigureFacts, 'id' | 'what'>,
  from: readonly Note[] = notes,
): Note | undefined => from.find(note => note.id === id && (note.what === undefined || what.includes(note.what)))
