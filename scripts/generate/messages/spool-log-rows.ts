import type { MessageAdvice } from './advice.ts'

const kept = 'Accepted events wait on the local disk'
const retried = `Retries. ${kept}`
const workFails = '`sluice doctor`, [SluiceWorkFails](../runbook.md#sluiceworkfails)'
const quarantine = '`sluice spool quarantine list`, [SluiceQuarantine](../runbook.md#sluicequarantine)'
const lost = '`sluice spool verify`, [SluiceEventsLost](../runbook.md#sluiceeventslost)'

/** Warnings and errors of the spool in the log. */
export const spoolLog: readonly MessageAdvice[] = [
  {
    says: 'the log of the spool cannot be written: events are refused with 503',
    why: 'The disk is full or fails; `err` has the code of the operating system',
    now: 'Answers 503, and retries each second',
    todo: '`dmesg`, `sluice doctor`: [SluiceRefusing](../runbook.md#sluicerefusing)',
  },
  {
    says: '… failed and is retried',
    why: 'One kind of work of the spool fails, mostly because of the disk; `reason` has it',
    now: retried,
    todo: workFails,
  },
  {
    says: 'commit failed and is retried',
    why: 'A file could not be sent to the file system; `reason` has it',
    now: retried,
    todo: '[SluiceBacklogOld](../runbook.md#sluicebacklogold)',
  },
  {
    says: 'the file system does not answer: …',
    why: 'HDFS or the object store is down, or a port is closed',
    now: retried,
    todo: '`sluice doctor`, [SluiceFileSystemUnavailable](../runbook.md#sluicefilesystemunavailable)',
  },
  {
    says: 'disk space is low: new events are refused',
    why: 'Free space is below `collector.diskspool.min-free-bytes`',
    now: 'Answers 503. Delivery continues, which frees space',
    todo: 'Free space, or lower the setting: [SluiceDiskLow](../runbook.md#sluicedisklow)',
  },
  {
    says: 'stopped with events that are not in the file system yet; the next start delivers them',
    why: 'The server stopped before all files were committed',
    now: kept,
    todo: 'Start it again, or `sluice spool adopt`: [Drain](../drain.md)',
  },
  {
    says: 'the spool is …: no events are taken',
    why: '`sluice drain` was called before the restart',
    now: 'Answers 503, and delivers what it has',
    todo: '`sluice drain --undo`',
  },
  {
    says: 'by the settings, the events of the spool now go to another place',
    why: '`namenode.url`, `data.dir` or the output directory has changed',
    now: 'Delivers waiting events to the new destination',
    todo: 'Restore the setting if that is not intended',
  },
  {
    says: 'the spool found an internal contradiction and stops; the next start recovers from the disk',
    why: 'A bug, or faulty memory; `invariant` names the violated rule',
    now: 'Answers 503, and exits with code 70',
    todo: 'Report the line; test the memory if it repeats',
  },
  {
    says: 'the thread that … ended; another one starts',
    why: 'A thread crashed, mostly for lack of memory; `reason` has it',
    now: 'Requests that it had get no response, and are retried by senders',
    todo: 'Check the memory: [Machines](../operate.md#machines)',
  },
  {
    says: 'an open file of the spool was deleted, and is restored with all its data',
    why: 'Another program deleted a file of the spool',
    now: 'Nothing is lost',
    todo: 'Find the program. Do not clean up below `collector.diskspool.path`',
  },
  {
    says: 'a failed write could not be truncated; its requests get no response',
    why: 'The disk failed twice',
    now: 'Closes the connections, so that senders retry',
    todo: '`dmesg`, [SluiceRefusing](../runbook.md#sluicerefusing)',
  },
  {
    says: 'a segment cannot be read; sealing is retried',
    why: 'The disk fails, or a file is missing',
    now: retried,
    todo: workFails,
  },
  {
    says: 'a sealed segment could not be removed',
    why: 'Permissions or the disk; `err` has it',
    now: 'Its events are in files; the next start removes it',
    todo: workFails,
  },
  {
    says: 'damage set aside in quarantine',
    why: 'The disk returned other bytes than were written',
    now: 'Delivers all events that are intact',
    todo: quarantine,
  },
  {
    says: 'a segment is lost with its events',
    why: 'A file of the spool is missing or unreadable',
    now: 'Continues without it',
    todo: lost,
  },
  {
    says: 'a sealed file is missing from the spool',
    why: 'A file of the spool was deleted',
    now: 'Continues without it',
    todo: lost,
  },
  {
    says: 'a sealed file was missing from the ledger; it is added again',
    why: 'The ledger was damaged or restored from an older copy',
    now: 'Delivers the file',
    todo: 'Nothing. Restore spools only as a whole',
  },
  {
    says: 'a sealed file is damaged or unknown; it is kept in quarantine',
    why: 'The ledger does not know the file, and it is not whole; `reason` has it',
    now: 'Continues without it',
    todo: quarantine,
  },
  {
    says: 'the end of the ledger was damaged; the damaged bytes are kept in quarantine',
    why: 'Power loss on a disk that does not keep its writes, or a damaged disk',
    now: 'Recovers from the log and the files',
    todo: '`sluice spool verify`. Check the write cache of the disk',
  },
  {
    says: 'the id of the spool was missing or damaged: a new one is used. List temporary files of the old id with sluice spool strays',
    why: 'The file `id` was deleted or damaged',
    now: kept,
    todo: '`sluice spool strays`',
  },
  {
    says: 'idempotency keys of earlier requests are missing: such a request counts twice if it is retried',
    why: 'Files of the spool are missing or damaged; `reason` has it',
    now: 'Accepts events; new keys count',
    todo: 'Restore the files while the server is stopped: [SluiceWorkFails](../runbook.md#sluiceworkfails)',
  },
  {
    says: 'ids of earlier events are missing: such an event counts twice if it is sent again',
    why: 'Files of the spool are missing or damaged; `reason` has it',
    now: 'Accepts events; new ids count',
    todo: 'Restore the files while the server is stopped: [SluiceWorkFails](../runbook.md#sluiceworkfails)',
  },
  {
    says: 'the file of event type columns is damaged: types after this byte infer their columns again, which may differ from earlier files',
    why: 'The disk returned other bytes than were written',
    now: 'Continues',
    todo: 'Restore the file while the server is stopped: [Columns](../operations.md#columns-of-parquet-files)',
  },
  {
    says: 'the file of event type columns cannot be read: events wait in the log until it can, or until the file is removed and the columns are inferred again',
    why: 'Permissions or the disk; `err` has it',
    now: kept,
    todo: 'Make the file readable, or restore it: [Columns](../operations.md#columns-of-parquet-files)',
  },
  {
    says: 'values do not fit their columns: they are written to _extra from now on',
    why: 'An event has another type of value than the first events of its type',
    now: 'Writes the values to `_extra`',
    todo: 'Fix the sender, or `forget` the columns: [Columns](../operations.md#columns-of-parquet-files)',
  },
  {
    says: 'a file was quarantined',
    why: 'The file system refuses the file for a reason that retries do not change; `reason` has it',
    now: 'Keeps it on the local disk; other files continue',
    todo: quarantine,
  },
  {
    says: 'a file was moved to _taken: it may have been committed, but is not found at its target',
    why: 'The answer to a rename was lost, and the file is not there now',
    now: 'Keeps the local copy, and does not send it again',
    todo: '[SluiceTakenFiles](../runbook.md#sluicetakenfiles)',
  },
  {
    says: 'a quarantined file could not be moved; the next start retries',
    why: 'The local disk; `err` has it',
    now: 'Keeps the file where it is',
    todo: workFails,
  },
  {
    says: 'a file disappeared before its table listed it; it is sent again',
    why: 'A consumer or a cleanup job deleted it too early',
    now: 'Sends it again from the local disk',
    todo: 'Exclude tables from cleanup jobs',
  },
  {
    says: 'the snapshot of a table takes long; other tables do not wait for it',
    why: 'The file system or the catalog is slow',
    now: 'Continues',
    todo: 'Check the catalog and the NameNode',
  },
  {
    says: 'the expiry of snapshots of a table takes long: other tables do not wait for it',
    why: 'The file system or the catalog is slow',
    now: 'Continues',
    todo: 'Check the catalog and the NameNode',
  },
  {
    says: 'files of a table stay as they were; the next pass will retry',
    why: '`reason` has it; without `hour` it is about the whole table, without `table` about the pass',
    now: 'They are neither merged nor removed; other tables are',
    todo: '[SluiceCompactionFails](../runbook.md#sluicecompactionfails)',
  },
  {
    says: 'a table was last updated in the future: its snapshots get that date until then; check the clocks of its writers',
    why: 'The clock of a writer was ahead',
    now: 'Writes snapshots with that date',
    todo: 'Synchronize clocks (NTP)',
  },
  {
    says: 'a table cannot get new columns: values go to _extra',
    why: 'The schema of the table cannot be changed; `err` has it',
    now: 'Continues',
    todo: 'Add the columns by another tool: [Write tables](../how-to/write-tables.md#columns)',
  },
]
