import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { CollectorOptions } from '../../../src/collector/collector.ts'
import type { ReplicaStatus } from '../../../src/spool/replica/replica-status.ts'
import type { SpoolStats } from '../../../src/spool/spool.ts'
import { createTestCollector, now } from './fakes.ts'

const noStage = { files: 0, events: 0, bytes: 0, oldestSeconds: 0 }
const stages = { log: noStage, sealing: noStage, commit: noStage, quarantine: noStage, taken: noStage }
const old = { files: 1, events: 40, bytes: 400, oldestSeconds: 3_600 }
const trouble = (work: 'sealing' | 'ledger' | 'commit' | 'log' | 'space' | 'upkeep' | 'cleanup' | 'strays') =>
  ({ work, reason: 'EIO: i/o error', since: now - 60_000 }) as const

type Case = readonly [
  patch: Partial<SpoolStats>,
  options: Partial<CollectorOptions>,
  item: string,
  code: 'WARN' | 'ERROR',
  part: string,
  problem: RegExp,
]
const fileSystem = (problem: string) => () => ({ configuration: 'fs', problem })
const away = { code: 'WARN' as const, message: 'm', problem: 'kafka://a is unavailable: refused', isEnabled: true }
const off = { ...away, problem: 'forwarding is disabled', isEnabled: false }

const writer = 'WriterHealthCheck'
const cases: readonly Case[] = [
  [{ accepting: false, refusal: 'drained', drained: true }, {}, writer, 'ERROR', 'intake', /^The collector is drained/],
  [{ accepting: false, refusal: 'only 1 MB are free' }, {}, writer, 'ERROR', 'intake', /refused: only 1 MB are free$/],
  [
    { lostSegments: ['1.log'], lostEvents: 3 },
    {},
    writer,
    'ERROR',
    'spool',
    /^3 events of the spool are lost: 1\.log gone$/,
  ],
  [
    { lastFlushError: 'Cannot rename "/a": no route' },
    {},
    'HadoopHealthCheck',
    'WARN',
    'filesystem',
    /: no route \(Cannot rename "\/a"\)$/,
  ],
  [
    {},
    { fileSystem: fileSystem('away') },
    'HadoopHealthCheck',
    'WARN',
    'filesystem',
    /^Files do not reach the file system: away$/,
  ],
  [{ troubles: [trouble('sealing')] }, {}, writer, 'WARN', 'spool', /^Events cannot be made into files: EIO/],
  [{ troubles: [trouble('ledger')] }, {}, writer, 'WARN', 'spool', /^The ledger .*: EIO/],
  [{ troubles: [trouble('space')] }, {}, writer, 'WARN', 'spool', /^The free space .*: EIO/],
  [{ troubles: [trouble('upkeep')] }, {}, writer, 'WARN', 'spool', /^Old snapshots of tables .*: EIO/],
  [{ troubles: [trouble('cleanup')] }, {}, writer, 'WARN', 'spool', /^Local copies .*: EIO/],
  [{ troubles: [trouble('strays')] }, {}, writer, 'WARN', 'spool', /^Temporary files .*: EIO/],
  [{ flushEnabled: false }, {}, writer, 'WARN', 'flush', /^Flushing is off/],
  [
    { stages: { ...stages, sealing: old } },
    {},
    writer,
    'WARN',
    'spool',
    /^The oldest event has waited 60 min .*: 40 events in segments to be sealed$/,
  ],
  [
    { quarantinedFiles: 1, quarantinedEvents: 2, retriedFiles: 1 },
    {},
    writer,
    'WARN',
    'spool',
    /^1 file with 2 events could not be stored/,
  ],
  [{ takenFiles: 2, takenEvents: 9 }, {}, writer, 'WARN', 'spool', /^2 files with 9 events were moved/],
  [
    { idempotencyProblem: 'ids/1 is gone' },
    {},
    writer,
    'WARN',
    'spool',
    /^Idempotency keys or event ids are missing: ids\/1 is gone$/,
  ],
  [
    {},
    { realtime: () => away },
    'RealtimeHealthCheck',
    'WARN',
    'realtime',
    /^Events do not reach the broker: kafka.*refused$/,
  ],
  [{}, { realtime: () => off }, 'RealtimeHealthCheck', 'WARN', 'realtime', /^Forwarding to the broker is disabled$/],
  [
    {},
    { tokenProblem: () => 'tokens.yaml: line 3' },
    'TokenFileHealthCheck',
    'WARN',
    'server',
    /^tokens.yaml: line 3$/,
  ],
  [
    {},
    { settingsProblem: () => 'line 3: what?' },
    'SettingsFileHealthCheck',
    'WARN',
    'server',
    /refused: line 3: what\?$/,
  ],
  [
    {},
    { schemaProblem: () => 'Order.json:3: what?' },
    'SchemaFilesHealthCheck',
    'WARN',
    'server',
    /^Order.json:3: what\?$/,
  ],
  [
    {},
    { compactionProblem: () => '/events/Order: no' },
    'CompactionHealthCheck',
    'WARN',
    'filesystem',
    /could not be merged or removed: \/events\/Order: no$/,
  ],
  [
    {},
    { threads: () => ({ configured: 3, living: 2, ended: 5, lastEnd: 'a bug', isReplacing: true }) },
    'EdgeThreadsHealthCheck',
    'WARN',
    'intake',
    /^2 of 3 threads take connections, ended: 5, the last one: a bug$/,
  ],
  [
    {},
    { threads: () => ({ configured: 3, living: 0, ended: 5, lastEnd: 'a bug', isReplacing: false }) },
    'EdgeThreadsHealthCheck',
    'ERROR',
    'intake',
    /^the files of the server have changed since it started.* 0 of 3 threads take connections/,
  ],
  [
    {},
    {
      setAside: () =>
        ['a', 'b'].map(id => ({ id, directory: `/fenced/${id}`, problem: 'it is here alone', advice: 'Look.' })),
    },
    'SetAsideHealthCheck',
    'WARN',
    'spool',
    /waits for a person \(others: \/fenced\/b\): it is here alone$/,
  ],
]

const replica: ReplicaStatus = {
  state: 'in-step',
  since: now - 60_000,
  reason: '',
  directory: '/events/_log/a',
  copies: 3,
  behindBytes: 0,
  localEvents: 0,
  watched: [{ id: 'b', silentMs: 1_900 }],
  takingOver: [],
  takenOver: 0,
  takenOverEvents: 0,
  setAside: 0,
  returnedEvents: 0,
  wasFenced: false,
}
const logOf = (patch: Partial<ReplicaStatus>): Partial<SpoolStats> => ({ replica: { ...replica, ...patch } })
const logItem = 'ReplicaHealthCheck'
const replicaCases: readonly Case[] = [
  [
    logOf({ state: 'fenced', reason: 'taken by b' }),
    {},
    logItem,
    'ERROR',
    'replica',
    /^Another collector has taken this log over: taken by b$/,
  ],
  [
    logOf({ state: 'away', reason: 'safe mode' }),
    {},
    logItem,
    'WARN',
    'replica',
    /^HDFS does not accept the log: safe mode$/,
  ],
  [
    logOf({ state: 'unproven', reason: 'no route' }),
    {},
    logItem,
    'WARN',
    'replica',
    /^It is not known yet .*: no route$/,
  ],
  [
    logOf({
      takingOver: [
        { id: 'b', waitingEvents: 5, problem: 'no route' },
        { id: 'c', waitingEvents: 7, problem: '' },
      ],
    }),
    {},
    logItem,
    'WARN',
    'replica',
    /^The log of a lost collector, b, is not in the file system yet: no route$/,
  ],
]

const start = (patch: Partial<SpoolStats>, options: Partial<CollectorOptions>) => {
  const { collector, spool } = createTestCollector({}, options)
  spool.patch = patch
  return collector
}

describe('what is wrong', () => {
  test.each([...cases, ...replicaCases])('%j', (patch, options, item, code, part, problem) => {
    const collector = start(patch, options)
    const [only, ...others] = collector.problems()
    expect(others).toEqual([])
    expect(only).toMatchObject({ item, code, part, problem: expect.stringMatching(problem) })
    expect(only?.meaning).toMatch(/\.$/)
    expect(only?.advice).toMatch(/\.$/)
    expect(only?.command).toMatch(/^sluice [a-z]/)
    // Health, console and command line have one verdict.
    const items = collector.health('').items
    expect(items.filter(one => one.code !== 'OK').map(({ type, code: verdict }) => [type, verdict])).toEqual([
      [item, code],
    ])
    // The runbook has the paragraph.
    const anchor = only?.runbook.replace('docs/runbook.md#', '') ?? ''
    const headings = readFileSync('docs/runbook.md', 'utf8').match(/^## .*/gm) ?? []
    expect(headings.map(heading => heading.slice(3).toLowerCase())).toContain(anchor)
  })

  test('is nothing where all is well', () => {
    expect(start({}, {}).problems()).toEqual([])
    const takingOver = [{ id: 'c', waitingEvents: 7, problem: '' }]
    expect(start(logOf({ takingOver }), {}).problems()).toEqual([])
  })

  test('a health item that no rule explains is a problem as well', () => {
    const collector = start({}, {})
    const { collector: other, spool } = createTestCollector({}, {})
    expect(collector.problems()).toEqual([])
    spool.schemas.recentMisfits = () => [
      { eventName: 'A', name: 'n', type: 'INT64', misfits: 3, lastMisfitAt: now } as never,
    ]
    expect(other.problems()).toMatchObject([
      { item: 'ParquetSchemasHealthCheck', code: 'WARN', command: 'sluice health' },
    ])
  })

  test('of a log in HDFS that is away says whether events are taken, and where they are', () => {
    const away = logOf({ state: 'away', reason: 'safe mode', localEvents: 12, behindBytes: 3_456 })
    expect(start(away, {}).problems()).toMatchObject([
      {
        word: 'On this disk alone',
        since: now - 60_000,
        meaning: 'Events are accepted and kept on this disk alone, 12 since the start; 3456 bytes wait to be copied.',
        runbook: 'docs/runbook.md#sluicetakeslocal',
      },
    ])
    expect(start({ ...away, accepting: false, refusal: 'safe mode' }, {}).problems()).toMatchObject([
      { word: 'Away', meaning: expect.stringContaining('503'), runbook: 'docs/runbook.md#sluicerefusing' },
      { word: 'Refusing' },
    ])
  })

  test('of a log that another collector has taken over is not looked for on this machine, whichever card says it', () => {
    const fenced = { ...logOf({ state: 'fenced', reason: 'taken by b' }), accepting: false, refusal: 'taken over' }
    const problems = start(fenced, {}).problems()
    expect(problems.map(({ word }) => word).toSorted()).toEqual(['Fenced', 'Refusing'])
    for (const { advice, command, runbook } of problems)
      expect([advice, command, runbook]).toEqual([
        expect.stringContaining('started anew'),
        'sluice status',
        'docs/runbook.md#sluicefenced',
      ])
  })

  test('of logs that cannot be taken over says nothing of how many events they have', () => {
    const takingOver = [{ id: 'b', waitingEvents: 0, problem: 'there is no room' }]
    expect(start(logOf({ takingOver }), {}).problems()).toMatchObject([
      { meaning: 'Accepted events are in HDFS and in no event file yet.' },
    ])
  })

  test('the report has the figures of a log in HDFS, and does not speak of one that is not there', () => {
    const takingOver = [{ id: 'c', waitingEvents: 7, problem: '' }]
    const item = start(logOf({ takingOver }), {})
      .health('')
      .items.find(({ type }) => type === logItem)
    expect(item).toEqual({
      type: logItem,
      code: 'OK',
      message:
        'state: in-step, directory: /events/_log/a, copies: 3, behind: 0 bytes, acknowledged here alone: 0 events, watched: {b: silent for 2 s}, taking over: {c: 7 events}, taken over: 0',
    })
    expect(
      start({}, {})
        .health('')
        .items.map(({ type }) => type),
    ).not.toContain(logItem)
  })

  test('what refuses or loses events comes first', () => {
    const collector = start({ flushEnabled: false, quarantinedFiles: 1, accepting: false, refusal: 'full' }, {})
    expect(collector.problems().map(({ word }) => word)).toEqual(['Refusing', 'Held', 'Quarantine'])
  })

  test('says what it means for events: kept here, and for how long', () => {
    const [problem] = start({ lastFlushError: 'away', fullInSeconds: 10_800 }, {}).problems()
    expect(problem?.meaning).toBe('Events are accepted and kept on this disk, 3 h until it is full.')
    expect(start({ lastFlushError: 'away' }, {}).problems()[0]?.meaning).toBe(
      'Events are accepted and kept on this disk.',
    )
  })

  test('says one cause once, whatever it hindered', () => {
    const lastFlushError = 'Cannot create "/b": no route'
    const collector = start({ lastFlushError }, { fileSystem: fileSystem('Cannot list "/a": no route') })
    const problem = 'Files do not reach the file system: no route (Cannot create "/b")'
    expect(collector.problems()).toMatchObject([{ problem }])
  })

  test('knows since when: its own moment, or when it was seen first', () => {
    const clock = { ms: now }
    const { collector, spool } = createTestCollector({}, { clock: { now: () => clock.ms, monotonicMs: () => 0 } })
    const since = () => collector.problems().map(problem => problem.since)
    spool.patch = { troubles: [trouble('sealing')], flushEnabled: false }
    expect(since()).toEqual([now - 60_000, now])
    clock.ms += 5_000
    expect(since()).toEqual([now - 60_000, now])
    spool.patch = {}
    expect(since()).toEqual([])
    spool.patch = { flushEnabled: false }
    expect(since()).toEqual([now + 5_000])
  })
})

test.each([
  [1, 1, /; the files are retried by themselves, up to once an hour\.$/],
  [2, 0, /, and wait for a decision: they are not retried\.$/],
  [5, 3, /; 3 of the files are retried by themselves, up to once an hour, 2 wait for a decision\.$/],
])('of %i files in quarantine %i are said to be retried by themselves', (quarantinedFiles, retriedFiles, meaning) => {
  const [problem] = start({ quarantinedFiles, retriedFiles }, {}).problems()
  expect(problem?.meaning).toMatch(meaning)
})
