import { choice, integer, live } from './setting.ts'

/** What a 202 means, and how acknowledged events survive the loss of the machine. */
export const ackRows = {
  'collector.ack': choice(['replicated', 'fsync', 'written', 'memory'], 'fsync', {
    sentence:
      'Durability of a 202: stored on this disk and in HDFS or an object store, on this disk, in the page cache of the operating system, or in memory.',
  }),
  'collector.replicated.sync': choice(['hsync', 'hflush'], 'hsync', {
    sentence:
      'What DataNodes have done with the events before a 202: `hsync` has them on their disks, `hflush` in their memory.',
  }),
  'collector.replicated.replication': integer(3, {
    sentence: 'DataNodes that each file of the log is written to.',
    min: 1,
    max: 512,
  }),
  'collector.replicated.min': integer(2, {
    sentence:
      'DataNodes that must have a group of events before its 202, and a file before its events leave the log (or all of its replication, if less). A cluster with one DataNode needs 1.',
    min: 1,
    max: 512,
  }),
  'collector.replicated.gather-ms': live(
    integer(20, {
      sentence:
        'In an object store: what of the log comes within so long is one object, and a 202 waits for it. Fewer objects cost less.',
      unit: 'ms',
      min: 0,
      max: 1_000,
    }),
  ),
  'collector.replicated.takeover-seconds': live(
    integer(20, {
      sentence: 'A collector that shows no sign of life for so long is taken over by another one.',
      unit: 'seconds',
      min: 8,
      max: 86_400,
      because: 'a collector shows a sign of life every 2 s, and a look at the others may take 5 s',
    }),
  ),
  'collector.replicated.when-unavailable': live(
    choice(['refuse', 'local'], 'refuse', {
      sentence:
        'While the file system does not accept the log: `refuse` answers 503; `local` acknowledges as `fsync` does, and such a 202 says `"durability":"local"`.',
    }),
  ),
} as const
