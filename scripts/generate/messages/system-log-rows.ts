import { kerberos, type MessageAdvice, reports } from './advice.ts'

/** Warnings and errors about other systems and about reader processes in the log. */
export const systemLog: readonly MessageAdvice[] = [
  {
    says: 'a reader ended',
    why: 'A process that reads files crashed or was killed, mostly for lack of memory; `reason` has it',
    now: 'Another one starts; the file that ended it is refused',
    todo: '[SluiceReadersEnd](../runbook.md#sluicereadersend)',
  },
  {
    says: 'a reader wrote to standard error',
    why: 'Node.js or a library printed something; `said` has it',
    now: 'Continues',
    todo: 'See whether `a reader ended` follows',
  },
  {
    says: '… is spoken to by …',
    why: 'HDFS is reached by another protocol than its own, mostly because a port is closed',
    now: 'Continues more slowly, and tries its own protocol again',
    todo: 'Open the ports: [HDFS](../operations.md#hdfs)',
  },
  {
    says: 'the file system does not answer',
    why: 'No connection at the start',
    now: 'Starts anyway; accepted events wait on the local disk',
    todo: '`sluice doctor`',
  },
  {
    says: 'the file system has not answered the check for safe renames; no file is sent until it does',
    why: 'No connection at the start',
    now: 'Accepts events, and asks again',
    todo: '`sluice doctor`',
  },
  {
    says: 'the store does not honour If-None-Match; tables of the catalog have each event once without it',
    why: 'The check at the start; `directory` is that of the events',
    now: 'Writes tables; refuses uploads and renames that must not replace',
    todo: 'Nothing: [Object stores](../object-stores.md#exactly-once)',
  },
  {
    says: 'the trash could not be emptied',
    why: 'HDFS refuses or does not answer; `err` has it',
    now: 'Retries at the next interval',
    todo: 'Check the permissions of the trash: [Trash](../operations.md#trash)',
  },
  {
    says: 'a delegation token could not be renewed',
    why: 'The cluster refuses or does not answer',
    now: 'Uses the token until it expires, and retries',
    todo: kerberos,
  },
  {
    says: 'a delegation token was refused; a new one is fetched',
    why: 'The token was cancelled or expired, or the NameNode has restarted',
    now: 'Fetches a new one',
    todo: 'Nothing, unless it repeats',
  },
  {
    says: 'the broker is unavailable: messages wait in memory',
    why: 'No connection to `realtime.broker`; `reason` has it',
    now: 'Reconnects. The file system gets all events',
    todo: '[SluiceBrokerAway](../runbook.md#sluicebrokeraway)',
  },
  {
    says: 'the client of the broker failed and is restarted',
    why: 'A fault in the library of the broker; `err` has it',
    now: 'Restarts it. The file system gets all events',
    todo: reports,
  },
  {
    says: 'messages that waited for the broker were discarded at shutdown; the file system still gets their events',
    why: 'The broker did not accept them before the server stopped',
    now: 'Stops',
    todo: 'Load the missing events from the files, if consumers need them',
  },
  {
    says: 'the broker refused messages, which count as errored; the last one is shown',
    why: 'Usually too large, or no permission for the topic; `reason` has it',
    now: 'Drops them for the broker. The file system gets all events',
    todo: 'Raise the limit of the topic, or grant the permission',
  },
  {
    says: 'the topics of two event types would differ only in "." and "_", which Kafka refuses: this type gets another topic name',
    why: 'Two event types have similar names',
    now: 'Uses the topic that the line names',
    todo: 'Rename one of the types, or read that topic',
  },
  {
    says: 'schemas of registrar.path cannot be used; the previous ones remain in effect',
    why: 'A schema file has a mistake or is too large; `err` has it',
    now: 'Reads the files again when they change',
    todo: '`sluice schema check`: [SluiceSchemaFiles](../runbook.md#sluiceschemafiles)',
  },
  {
    says: 'the file of registrar.path cannot be used; the previous fields remain in effect',
    why: 'The file has a mistake, or may not be read',
    now: 'Reads the file again when it changes',
    todo: 'Fix the file',
  },
  {
    says: 'the schema registry does not answer; the previous fields remain in effect',
    why: 'No connection, a redirect, or an error status',
    now: 'Asks again',
    todo: 'Check `registrar.url`',
  },
  {
    says: 'the schema registry has a type that cannot be used',
    why: 'One type in its answer has a mistake; `err` has it',
    now: 'Ignores this type',
    todo: 'Fix the type in the registry',
  },
]
