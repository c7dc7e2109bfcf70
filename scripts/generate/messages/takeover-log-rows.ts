import type { MessageAdvice } from './advice.ts'

const fenced = '[SluiceFenced](../runbook.md#sluicefenced)'
const takenOver = '[SluiceTakenOver](../runbook.md#sluicetakenover)'

/** Warnings and errors of `collector.ack: replicated` in the log. */
export const takeoverLog: readonly MessageAdvice[] = [
  {
    says: 'the log cannot be replicated: …',
    why: 'HDFS does not accept the log (`collector.ack: replicated`)',
    now: 'Refuses events, or stores them locally, as the line says',
    todo: '[SluiceTakesLocal](../runbook.md#sluicetakeslocal)',
  },
  {
    says: 'files that were sealed before the log was replicated exist only on this machine until they are committed',
    why: '`collector.ack: replicated` was switched on with events waiting',
    now: 'Delivers them first',
    todo: 'Keep this disk until `sluice status` shows none waiting',
  },
  {
    says: 'another collector has taken over the log of this one, which accepts and commits nothing more',
    why: 'This collector had sent no heartbeat for `collector.replicated.takeover-seconds`',
    now: 'Exits with code 70. The other collector delivers its events',
    todo: `Restart it: ${fenced}`,
  },
  {
    says: 'another collector has taken over the log of this one: its spool is set aside, and a new one starts under a new id',
    why: 'The first start after a takeover',
    now: 'Accepts events again',
    todo: fenced,
  },
  {
    says: 'events that existed only on this machine were copied to its new spool',
    why: 'The spool that was set aside had events that HDFS did not have',
    now: 'Delivers them',
    todo: 'Nothing',
  },
  {
    says: 'sealed files of a spool that was set aside exist only on this machine: its replicated log does not have their events',
    why: 'They were sealed before the log was in HDFS',
    now: 'Keeps them',
    todo: `Send them by hand: ${fenced}`,
  },
  {
    says: 'events of a spool that was set aside are not in the new one yet',
    why: 'HDFS does not answer, or an operator has to decide; `reason` has it',
    now: 'Keeps them, and retries',
    todo: fenced,
  },
  {
    says: 'a collector has sent no heartbeat; its log is taken over',
    why: 'That collector or its machine is down, or cut off from HDFS',
    now: 'Delivers its events',
    todo: takenOver,
  },
  {
    says: 'the takeover of a log failed and is retried',
    why: '`reason` has it',
    now: 'Retries. The events stay in HDFS',
    todo: takenOver,
  },
  {
    says: 'a log was taken over, except for files that need an operator',
    why: 'Some files of the other collector are damaged or refused',
    now: 'Keeps them in `directory`',
    todo: '`sluice spool verify --spool DIRECTORY`',
  },
  {
    says: 'another collector has taken over a log that this one was delivering',
    why: 'This collector was slow or cut off from HDFS',
    now: 'Leaves it to the other one',
    todo: 'Nothing',
  },
  {
    says: 'the local files of a taken-over log cannot be removed',
    why: 'The local disk; `err` has it',
    now: 'Continues',
    todo: '`sluice doctor`',
  },
  {
    says: 'other collectors cannot be monitored',
    why: 'HDFS does not answer; `reason` has it',
    now: 'Retries',
    todo: '`sluice doctor`',
  },
  {
    says: 'logs that this collector had taken over remain in HDFS; another collector with collector.ack replicated and this output directory delivers them',
    why: '`collector.ack` is no longer `replicated`',
    now: 'Leaves them there',
    todo: 'Run such a collector, or `sluice spool adopt hdfs://…`',
  },
  {
    says: 'the settings no longer keep the log of this collector there; it was withdrawn',
    why: '`collector.ack` or the output directory has changed',
    now: 'Continues with the local log',
    todo: 'Nothing',
  },
  {
    says: 'a withdrawn log could not be deleted; delete it by hand',
    why: 'HDFS refuses; `reason` has it',
    now: 'Continues; the log is not used any more',
    todo: '`hdfs dfs -rm -r` the directory that the line names',
  },
]
