import type { FigureFacts } from './figure.ts'

/** Why a figure is short of its goal. Only shown on the page while it is. */
export type Note = {
  readonly id: FigureFacts['id']
  /** Where an id has several figures: those whose `what` holds this. @default all of them */
  readonly what?: string
  /** A sentence or two for the page; README.md has what was tried, and where the time goes. */
  readonly why: string
}

/** In the order of the table; the first one that fits counts. */
export const notes: readonly Note[] = [
  {
    id: 'P1',
    why: 'Kernel and `JSON.parse` cost both sides the same; checks, buckets, CRCs and counters take what the faster HTTP lane saves.',
  },
  {
    id: 'P2',
    why: 'As P1; the bare server reads no values, Sluice decodes each to its type and writes a Thrift record.',
  },
  {
    id: 'P3',
    why: 'The bare server parses and writes a batch; Sluice also checks, frames and counts each event, and seals on the same core.',
  },
  {
    id: 'P6',
    why: 'A lone request wakes two threads; the bare server does the same with less between.',
  },
  {
    id: 'P8',
    why: 'The bare server only splits frames. Sluice makes, checks and seals an event of each entry.',
  },
  {
    id: 'P7',
    what: 'one Smile event',
    why: 'Five rounds of 2 s, measured again by themselves, gave 1.00: the cores slowed down in this run.',
  },
  {
    id: 'G1',
    what: 'up',
    why: 'The gateway takes 40 % of a core; cluster and client share the rest of two.',
  },
  {
    id: 'G3',
    why: 'The baseline is one read; Sluice adds a reader process, checks and the detection of the format.',
  },
  {
    id: 'G6',
    what: 'prefix',
    why: 'A store gives 1 000 keys an answer, as XML.',
  },
  {
    id: 'G6',
    what: 'LISTSTATUS_BATCH',
    why: 'Names are held between two pages, and a reader collects garbage late; eight listings level off at 100 MB.',
  },
  {
    id: 'G8',
    why: 'All 1 000 arrive within a second, on one core with the reader. Each paused read keeps 0.3 MB; a reader may gather 128 MB of garbage.',
  },
  {
    id: 'G9',
    what: 'HDFS',
    why: 'Sluice takes 0.35 ms a file beside 1.2 ms of cluster and client, on the same two cores.',
  },
  {
    id: 'G11',
    what: 'embedded',
    why: 'The baseline only reads the files; Sluice makes 150 000 rows of them, 29 MB of JSON.',
  },
  {
    id: 'O1',
    why: 'nginx reads no value and answers before it writes: a power cut takes what was answered.',
  },
  {
    id: 'O3',
    what: 'files of',
    why: 'Over WebHDFS the DataNode makes a new client for each request, most of the cost of a small file.',
  },
  {
    id: 'O3',
    what: '1 GiB',
    why: 'HttpFS speaks the block protocol; over WebHDFS the HTTP server of the DataNode is one more copy.',
  },
  {
    id: 'A2',
    why: 'The slowest 1 % of a second, in rounds whose undisturbed side had 1.5 to 94 ms; p50 and CPU are the same.',
  },
  {
    id: 'P13',
    what: 'all sealed',
    why: 'CPU, p50 and memory are met; p99 is not: a group waits for seven syncs of one shared disk.',
  },
  {
    id: 'P13',
    what: 'Kafka',
    why: 'Kafka acknowledges from memory and writes no files. With the same promise (`collector.replicated.sync=hflush`): 0.38 and 0.49.',
  },
  {
    id: 'P11',
    why: 'With 5 000 types each file has 76 rows: beginning, writing and syncing a file is most of its cost.',
  },
  {
    id: 'R17',
    why: 'The slowest 1 % at a fixed rate, between rounds that differ as much among themselves; p50 and CPU are nearly the same.',
  },
]

/** What is to be said of a figure that misses its goal. */
export const noteOf = (
  { id, what }: Pick<FigureFacts, 'id' | 'what'>,
  from: readonly Note[] = notes,
): Note | undefined => from.find(note => note.id === id && (note.what === undefined || what.includes(note.what)))
