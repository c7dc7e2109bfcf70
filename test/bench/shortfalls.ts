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
    why: 'Two parts of an event cost both sides the same: the kernel (reading, sending, waking: a good third), and `JSON.parse`. On the lane the rest of HTTP is half of what it is in `node:http`; what that saves goes to what the bare server does not do: to hold the call against the contract, find what cannot be stored, name, date and bucket of each event, frame it with length and CRC, count it, keep its answer in order, note its file. Tried: groups that wait while more comes (a sixth more), calls of the writer by shared memory (a tenth to a fifth with few connections), values of headers compared with the ones before (0.5 µs), a body read without a promise (0.6 µs). What is left is flat: no function of src/ takes more than 2 %.',
    profile:
      '42 % kernel (28 % the `write` of the answer, half of it delivery to the client on the same machine), 27 % the route from the contract to the log (10 % parsing the body), 8 % the stream in front of the lane, 7 % llhttp and the head, 7 % promises, 3 % the stream behind it; by `perf record -e cpu-clock` of the main thread',
  },
  {
    id: 'P2',
    why: 'As in P1; the bare server here splits the query at commas and reads no values, while Sluice decodes each to its type, twice as old clients encode it, and writes a Thrift record of them.',
    profile:
      'of the 5.7 µs from the head to the log: 8 % llhttp, 6 % `decodeForm` src/contract/query.ts, 6 % `writeText` src/collector/parsers/query.ts, 5 % `crc32`, 5 % `claim` src/spool/log/open-buckets.ts, 3 % `answerIntake`, 2.5 % `writeHead` src/spool/segment/record.ts; below that some forty of 0.5 to 2 %',
  },
  {
    id: 'P3',
    why: 'The bare server parses a batch and writes it; Sluice also checks, frames and counts each event of it, notes its file, and seals what is full on the same core, at a lower priority. Tried: buckets found without a key for each event (a tenth of the way to the log).',
    profile:
      'of the way from the head to the log: 57 % `JSON.parse`, 4 % `findWithin` src/collector/parsers/scan.ts, 4 % `crc32`, 2 % text from bytes, 2 % garbage collector, 1.4 % `writeHead` src/spool/segment/record.ts',
  },
  {
    id: 'P6',
    why: 'A lone request goes through two threads, each of which has to wake up for it; the bare server does the same with less between. Its group does not wait for others. By shared memory in place of messages it takes a tenth less than before.',
  },
  {
    id: 'P8',
    why: 'The bare server tells frames apart and copies them. Sluice makes an event of each entry: base64, date, a check of all fields, a record with the name of the type, a CRC; half of its time is that. The rest is sealing on the same core, and the socket. Tried: a category is made text once in a call (a tenth of reading).',
    profile:
      'of reading a call: 7 % `parseLogMessage` src/collector/scribe/log-message.ts, 6 % base64, 6 % `take` src/collector/scribe/log-call.ts, 5 % readers of Thrift, 5 % text from bytes, 5 % garbage collector, 5 % `encodeRecord` src/formats/thrift/envelope-stream.ts',
  },
  {
    id: 'P7',
    what: 'one Smile event',
    why: 'As many as of JSON when the same was measured again by itself a quarter of an hour later: five rounds of 2 s gave 0.77 to 1.17 and 1.00 in the middle, at 39 K/s on both sides. In the run of this page the cores probably slowed down for these minutes: JSON alone fell from 32 to 19 K/s between the rounds.',
  },
  {
    id: 'G1',
    what: 'up',
    why: 'The gateway takes 40 % of a core, and the cluster and the client share what is left of two: sending by itself keeps both busy. Tried: pieces that give their memory back when they are sent (of 1.6 s for a gigabyte 0.8 are left), pieces that go out together while the system is busy.',
    profile:
      'two thirds are the kernel (reading from the client, writing to the DataNode), the rest the copy that `node:http` makes of each piece, and its streams',
  },
  {
    id: 'G3',
    why: "What the bare server does is one read of the file; here it is a call to the reader's process and back, the checks of the contract, the path (no link may lead out), the kind of the file by its first bytes, and the rows. No more than 0.03 MB are read (0.26 before), and a sequence file takes what text takes (7.4 × before).",
  },
  {
    id: 'G6',
    what: 'LISTSTATUS_BATCH',
    why: 'The names of the directory are held between two pages, some 20 MB, and a reader gathers garbage for long before it collects it (see G8): with a young generation of 4 MB a listing grew by 21 MB and took a fifth more time, and so did everything else that a reader does. In eight listings one after another it levels off at some 100 MB.',
  },
  {
    id: 'G8',
    why: 'All 1 000 come within a second, on one core with the reader, which begins with 256 of them (`gateway.max-reads`) and decodes some hundred kilobytes for each, while the others are refused: that second is in the figure. Memory is that of both processes; some 0.3 MB stay for each read that stands still, and a reader may gather 128 MB of garbage before it is collected (with half of that rows take a third more processor). Before readers it was 1.4 to 2.2 GB.',
  },
  {
    id: 'G9',
    what: 'HDFS',
    why: 'Sluice asks the NameNode for the status and a DataNode for the bytes, a direct client the NameNode for the place and a DataNode for the bytes: the cluster does as much for both. What Sluice itself takes for a file, 0.35 ms when it is warm, comes on top of the 1.2 ms of cluster and client, on the same two cores. Tried, from 1.3 ms and 0.5 ×: kept connections without `fetch` (a quarter of a call), no web streams, signals without weak references, small pieces of memory that are used again, bytes from the DataNode that was named a moment ago (saves the NameNode one of two requests).',
    profile:
      'half is the kernel (14 % connecting to the DataNode, which closes each connection, 7 % closing, 12 % writing), 15 % the call to the NameNode, 8 % routes and contract, 3 % making a `Response`; below that nothing above 2 %',
  },
  {
    id: 'G11',
    what: 'embedded',
    why: 'The baseline reads the files, and does nothing with them; reading is a fifth of the work. 150 000 rows are made of them and written as 29 MB of JSON, in a process of its own on the same core, and go through two sockets. Tried: files opened ahead (from 2.9 s), directories that are looked for once, one step for status and bytes.',
    profile:
      "of the reader's process: 12 % writing to the server, 25 % opening, reading and closing, 6 % garbage collector, 2 % `#writeLine` src/rows/encoders/json-text.ts, 1.5 % `writeListing` src/gateway/rows/read-json.ts; below that some hundred of about 1 %",
  },
  {
    id: 'O1',
    why: 'nginx reads no value, keeps no event apart from others, and answers before it writes: a power cut takes what was answered. Sluice decodes each value, and answers when the group of the event is synced.',
  },
  {
    id: 'O3',
    what: 'files of',
    why: "HttpFS is a client of Hadoop's own protocols: it asks the NameNode over one connection and a DataNode for the block itself. By WebHDFS the DataNode makes a client of that kind anew for each request, and that is most of what a small file costs the cluster. Sluice itself takes less for a file than HttpFS.",
  },
  {
    id: 'O3',
    what: '1 GiB',
    why: "HttpFS speaks the block protocol with the DataNode. By WebHDFS the bytes pass the DataNode's HTTP server as well, which is a client of the block protocol on its own machine: one more copy, and the processor time of it. Sluice takes 40 % of a core for it and 21 MB, HttpFS 80 to 91 % and 167 MB.",
  },
  {
    id: 'A2',
    why: 'The figure is the slowest 1 % of a second, in rounds whose undisturbed side alone had 1.5 to 94 ms; in the middle it is lower with the poll (2.44 ms) than without (2.67), but in six rounds of ten it was higher. The management is made in turns, the longest of 0.4 to 0.5 ms with few event types; p50 and CPU are the same.',
  },
  {
    id: 'P13',
    what: 'all sealed',
    why: 'CPU, p50 and memory are met; the p99 is not, on a machine that others used as well, whose disk took up to tens of ms for one sync (that of `fsync` in the same run was no better). A group waits for seven syncs of this one disk: data and checksums on three DataNodes, and the local log. At full speed 74 events share a group, 109 with `fsync`.',
  },
  {
    id: 'P13',
    what: 'Kafka',
    why: 'Kafka acknowledges what is in the memory of its brokers, and its messages are in no file; Sluice has them on three disks, makes files of them and writes those three times. With the same promise (`--set collector.replicated.sync=hflush`) two rounds gave 0.38 and 0.49. The server in front of Kafka gathers: one that sends each event by itself took 1 043 µs for it (0.06 ×), at 1 900 a second.',
    profile:
      'what Sluice takes beside `fsync` is mostly `writev` to the first DataNode, and waking up for the writer thread and for acks; no function of src/spool/replica takes more than 0.3 % of the main thread',
  },
  {
    id: 'P11',
    why: 'With 5 000 types each file has 76 rows: what a file costs to begin, to write and to sync is most of it, in time and in memory (what is known of each file, its block of rows, its columns of few values).',
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
