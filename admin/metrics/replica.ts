import { perTurn } from '../../src/beans/per-turn.ts'
import { type ReplicaFigures, replicaOff } from '../catalog/replica.ts'
import { family, type MetricFamily, single } from './metric.ts'

const states = ['unproven', 'in-step', 'away', 'fenced']

/** Figures of the log in HDFS; 0 without one. */
export const replicaMetrics = (read: () => ReplicaFigures | undefined): readonly MetricFamily[] => {
  const status = perTurn(() => read() ?? replicaOff)
  const taking = (): ReplicaFigures['takingOver'] => status().takingOver
  return [
    family(
      'gauge',
      'collector_replica_state',
      '1 for the state of the log in HDFS; 0 for all where it is not used.',
      () => states.map(state => ({ labels: { state }, value: Number(status().state === state) })),
    ),
    single(
      'gauge',
      'collector_replica_copies',
      'DataNodes that have the group of events which was synced last.',
      () => status().copies,
    ),
    single(
      'gauge',
      'collector_replica_behind_bytes',
      'Bytes of the local log that HDFS does not have.',
      () => status().behindBytes,
    ),
    single(
      'counter',
      'collector_local_events_total',
      'Events acknowledged on the local disk alone, because HDFS did not take the log.',
      () => status().localEvents,
    ),
    single(
      'gauge',
      'collector_watched_silent_seconds',
      'How long the most silent of the other collectors has shown no sign of life.',
      () => Math.max(0, ...status().watched.map(({ silentMs }) => silentMs)) / 1_000,
    ),
    single('gauge', 'collector_takeovers', 'Collectors that are being taken over.', () => taking().length),
    single('gauge', 'collector_takeover_events', 'Events of theirs that are not in the file system yet.', () =>
      taking().reduce((sum, { waitingEvents }) => sum + waitingEvents, 0),
    ),
    single(
      'counter',
      'collector_taken_over_total',
      'Collectors that were taken over, and whose events are in the file system.',
      () => status().takenOver,
    ),
    single(
      'counter',
      'collector_taken_over_events_total',
      'Events of those in the file system; their own collectors had committed some of them.',
      () => status().takenOverEvents,
    ),
    single(
      'gauge',
      'collector_set_aside_spools',
      'Spools in fenced/, whose logs another collector has taken over, and of which something is left.',
      () => status().setAside,
    ),
    single(
      'counter',
      'collector_returned_events_total',
      'Events of spools in fenced/ that had not been taken over, and are in the new spool: written, and accepted before.',
      () => status().returnedEvents,
    ),
    single(
      'gauge',
      'collector_was_fenced',
      '1 where this start began under a new id, because another collector had taken over the log of this one.',
      () => Number(status().wasFenced),
    ),
  ]
}
