import { expect, test } from 'vitest'
import type { EventHead } from '../../../../src/spool/batch.ts'
import type { Flusher } from '../../../../src/spool/commit/flusher.ts'
import { applyEntry, createLedgerState, type LedgerState } from '../../../../src/spool/ledger/ledger-state.ts'
import type { Log } from '../../../../src/spool/log/log.ts'
import { createOpenBuckets } from '../../../../src/spool/log/open-buckets.ts'
import type { SpoolStats } from '../../../../src/spool/spool.ts'
import { toStats } from '../../../../src/spool/stats/to-stats.ts'
import { jsonBatch } from '../../../suites/spool.ts'

const files = 150_000
const types = 1_500

const manyFiles = (): LedgerState => {
  const state = createLedgerState(true)
  for (let segment = 1; segment <= files / types; segment++) {
    const sealed = Array.from({ length: types }, (_, part) => ({
      name: `20260102T030435.000Z-${'a'.repeat(32)}-${segment}-${part}.jsonl`,
      directory: `/events/T${part}/2026/01/02/03`,
      segment,
      format: 'jsonl' as const,
      codec: 'none' as const,
      kind: 'smile' as const,
      length: 100,
      crc: 7,
      events: 2,
      oldest: 1_000 * segment,
    }))
    applyEntry(state, { type: 'sealed', segment, files: sealed, keys: [], damage: [] })
  }
  return state
}

/** Figures of a spool in which nothing but the ledger and the open segment holds anything. */
const ask = (state: LedgerState, open: readonly EventHead[] = []): SpoolStats => {
  const buckets = createOpenBuckets()
  if (open.length > 0) buckets.claim({ ...jsonBatch([]), events: open })
  const log = {
    counts: {},
    openEvents: open.length,
    openSince: 0,
    openBytes: 0,
    openBuckets: buckets.values(),
  } as unknown as Log
  const flusher = { stats: {} } as unknown as Flusher
  const parts = {
    collectorId: 'c',
    state,
    keys: { keys: { size: 0, oldestAt: undefined }, ids: { size: 0, oldestAt: undefined }, problem: '' },
    log,
    flusher,
    space: { freeBytes: 0, minFreeBytes: 0, fullInSeconds: undefined },
    stages: { troubles: [] },
    tables: { stats: { snapshots: 0, failures: 0, lastAt: undefined, lastError: '' } },
    replica: undefined,
    settings: () => ({
      outputDirectory: '/events',
      outputLayout: 'dated' as const,
      flushIntervalMs: 1,
      maxUncommittedMs: 1,
    }),
  }
  const idle = {
    sealQueue: { waiting: { files: 0, events: 0, bytes: 0 } },
    syncTimes: { counts: () => [] },
  } as unknown as Pick<Parameters<typeof toStats>[0], 'sealQueue' | 'syncTimes'>
  return toStats({ ...parts, ...idle }, { now: 500_000, refusal: '', droppedEvents: 0, ignoredEvents: 0 })
}

test('R24: 150 000 waiting files are added up without looking at one of them', () => {
  const state = manyFiles()
  const looked = (): never => {
    throw new Error('Somebody looks at the files')
  }
  const blind = { ...state.files, values: looked, names: looked, waiting: looked, committed: looked, inState: looked }
  const stats = ask({ ...state, files: blind, damage: { ...state.damage, values: looked } })
  expect(stats).toMatchObject({
    pendingFiles: files,
    pendingEvents: 2 * files,
    pendingBytes: 100 * files,
    oldestSeconds: 499,
    quarantinedFiles: 0,
  })
})

test('the list of local files is bounded; what the open segment and sealed files share is added up', () => {
  const state = manyFiles()
  const head: EventHead = { index: 0, name: 'T1400', date: Date.UTC(2026, 0, 2, 3), granularity: 'HOURLY' }
  const { localFiles } = ask(state, [head, { ...head, index: 1 }])
  expect(localFiles.size).toBe(1_000)
  expect([...localFiles].slice(0, 3)).toEqual([
    ['/events/T1400/2026/01/02/03|smile', (2 * files) / types + 2],
    ['/events/T0/2026/01/02/03|smile', (2 * files) / types],
    ['/events/T1/2026/01/02/03|smile', (2 * files) / types],
  ])
})
