import { describe, expect, test } from 'vitest'
import type { ServerStatus } from '../../../admin/cli/server/server-status.ts'
import { toStatusView } from '../../../admin/cli/server/status-view.ts'

type Log = NonNullable<ServerStatus['replica']>

const log: Log = {
  state: 'in-step',
  reason: '',
  directory: '/events/_log/a',
  copies: 3,
  behindBytes: 0,
  localEvents: 0,
  watched: [],
  takingOver: [],
  takenOver: 0,
  takenOverEvents: 0,
  returnedEvents: 0,
  setAside: 0,
  wasFenced: false,
}

const viewOf = (patch: Partial<Log>): readonly string[] => {
  const status: ServerStatus = {
    code: 'OK',
    server: {
      version: '1',
      node: '24',
      startedAt: 0,
      uptimeSeconds: 1,
      services: [],
      addresses: {},
      fileSystems: [],
    },
    replica: { ...log, ...patch },
    waiting: {
      flushEnabled: true,
      inMemory: { events: 0, bytes: 0 },
      spool: { events: 1, files: 0, bytes: 1, oldestSeconds: 0 },
      quarantine: { files: 0, events: 0 },
      taken: { files: 0, events: 0 },
      realtime: { enabled: false, events: 0 },
    },
    health: [],
    problems: [],
  }
  const lines = toStatusView(status, 'http://h', 200).split('\n')
  const from = lines.findIndex(line => line.includes('log in HDFS'))
  return lines
    .slice(
      from,
      lines.findIndex(line => line.includes('for the broker')),
    )
    .map(line => line.trim())
}

const taking = (id: string, waitingEvents: number) => ({ id, waitingEvents, problem: '' })

describe('the log in HDFS, in words', () => {
  test.each<[string, Partial<Log>, readonly string[]]>([
    ['in step', {}, ['log in HDFS     in step, on 3 DataNodes']],
    ['before the first group', { copies: 0 }, ['log in HDFS     in step']],
    ['away', { state: 'away', behindBytes: 2_000 }, ['log in HDFS     away: HDFS does not take it, 2.0 kB behind']],
    ['fenced', { state: 'fenced' }, ['log in HDFS     fenced: another collector has it']],
    [
      'with collectors that are taken over, and were',
      { takingOver: ['b', 'c', 'd', 'e', 'f'].map((id, at) => taking(id, at)), takenOver: 2, takenOverEvents: 7 },
      [
        'log in HDFS     in step, on 3 DataNodes',
        'taking over     b, 0 events to go',
        'taking over     c, 1 event to go',
        'taking over     d, 2 events to go',
        'taking over     e, 3 events to go',
        'and 1 more collector',
        'taken over      2 collectors with 7 events since the start',
      ],
    ],
    [
      'with spools that are set aside',
      { setAside: 1 },
      ['log in HDFS     in step, on 3 DataNodes', 'set aside       1 earlier spool, in fenced/'],
    ],
  ])('%s', (_, patch, want) => expect(viewOf(patch)).toEqual(want))
})
