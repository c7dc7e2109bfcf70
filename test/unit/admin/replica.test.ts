import { describe, expect, test } from 'vitest'
import { replicaBean } from '../../../admin/catalog/replica.ts'
import { replicaMetrics } from '../../../admin/metrics/replica.ts'
import { writeMetrics } from '../../../admin/metrics/text.ts'
import type { ReplicaStatus } from '../../../src/spool/replica/replica-status.ts'

const status: ReplicaStatus = {
  state: 'away',
  since: 1_000,
  reason: 'safe mode',
  directory: '/events/_log/a',
  copies: 3,
  behindBytes: 42,
  localEvents: 7,
  watched: [
    { id: 'b', silentMs: 1_500 },
    { id: 'c', silentMs: 2_500 },
  ],
  takingOver: [
    { id: 'd', waitingEvents: 5, problem: '' },
    { id: 'e', waitingEvents: 6, problem: 'no route' },
  ],
  takenOver: 2,
  takenOverEvents: 7,
  setAside: 1,
  returnedEvents: 7,
  wasFenced: true,
}

const write = (read: () => ReplicaStatus | undefined): string =>
  [...writeMetrics(replicaMetrics(read))].join('').replace(/^#.*\n|^\n/gm, '')

describe('the log in HDFS', () => {
  test('is a bean with all that is known of it', () => {
    const shown = Object.entries(replicaBean('v', () => status).attributes).map(([name, one]) => [
      `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
      one.read(),
    ])
    expect(Object.fromEntries(shown)).toEqual(status)
  })

  test('is off where the log is on the local disk alone', () => {
    const { attributes } = replicaBean('v', () => undefined)
    expect([attributes['State']?.read(), attributes['Watched']?.read()]).toEqual(['off', []])
    expect(write(() => undefined)).toMatch(/^collector_replica_state\{state="unproven"\} 0\n/)
    expect(write(() => undefined)).not.toMatch(/ [^0\n]/)
  })

  test('is exported as metrics', () => {
    expect(write(() => status)).toBe(
      [
        'collector_replica_state{state="unproven"} 0',
        'collector_replica_state{state="in-step"} 0',
        'collector_replica_state{state="away"} 1',
        'collector_replica_state{state="fenced"} 0',
        'collector_replica_copies 3',
        'collector_replica_behind_bytes 42',
        'collector_local_events_total 7',
        'collector_watched_silent_seconds 2.5',
        'collector_takeovers 2',
        'collector_takeover_events 11',
        'collector_taken_over_total 2',
        'collector_taken_over_events_total 7',
        'collector_set_aside_spools 1',
        'collector_returned_events_total 7',
        'collector_was_fenced 1',
        '',
      ].join('\n'),
    )
  })
})
