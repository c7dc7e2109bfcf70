import { describe, expect, test } from 'vitest'
import { writeSynced } from '../../../../src/disk/write-synced.ts'
import type { FileRecord } from '../../../../src/spool/files/bucket-file.ts'
import { directories, unsealedName } from '../../../../src/spool/files/spool-paths.ts'
import { createLedgerState, type LedgerState } from '../../../../src/spool/ledger/ledger-state.ts'
import { encodeSealedList, sealedListPath } from '../../../../src/spool/ledger/sealed-list.ts'
import type { PendingSegment } from '../../../../src/spool/seal/pending-segment.ts'
import type { SealResult } from '../../../../src/spool/seal/seal.ts'
import { createSealSegment } from '../../../../src/spool/seal/seal-segment.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

const segment = 7
const bytes = Buffer.from('what cannot be sealed')

/** What the ledger has of a file. */
const known: FileRecord = {
  file: {
    name: 'known',
    directory: '/events',
    segment,
    format: 'jsonl',
    codec: 'none',
    kind: 'smile',
    length: 1,
    crc: 2,
    events: 1,
    oldest: 0,
  },
  state: { at: 'sealed' },
}

/** A ledger that knows files of these names. */
const stateOf = (...names: readonly string[]): LedgerState => {
  const state = createLedgerState(true)
  for (const name of names) state.files.set({ ...known, file: { ...known.file, name } })
  return state
}

const createWorld = async (toError: (attempt: number) => Error, fail?: (operation: string, path: string) => void) => {
  const disk = createTearingDisk({
    fail: (operation, path) => {
      fail?.(operation, path)
      return undefined
    },
  })
  for (const name of directories) await disk.mkdir(name)
  await writeSynced(disk, segmentPath(segment), bytes)
  await disk.fsyncDir('log')
  await writeSynced(disk, sealedListPath(segment), encodeSealedList([]))
  await disk.fsyncDir('lists')
  let attempts = 0
  const seal = createSealSegment({
    disk,
    beside: { seal: async () => Promise.reject(toError(++attempts)) },
    state: stateOf('known-7-2.jsonl'),
  })
  const pending: PendingSegment = { segment: { number: segment }, events: 3, hasKnownKeys: true, attempts: 0 }
  const attempt = (): Promise<SealResult | string> => seal(pending).catch((error: Error) => error.message)
  return { disk, attempt }
}

test('of a segment that is sealed otherwise than it was tried before, files of the earlier attempts go', async () => {
  const disk = createTearingDisk()
  for (const name of directories) await disk.mkdir(name)
  const names = ['a-7-0.jsonl', 'a-7-0.parquet', 'known-7-1.parquet', 'a-8-0.parquet']
  for (const name of names) await writeSynced(disk, `sealed/${name}`, bytes)
  const facts = { directory: '/events', format: 'jsonl', codec: 'none', kind: 'smile', segment } as const
  const file = { ...facts, name: 'a-7-0.jsonl', length: bytes.length, crc: 0, events: 1, oldest: 0 }
  const seal = createSealSegment({
    disk,
    beside: { seal: async () => ({ files: [file], keys: [], damage: [] }) },
    state: stateOf('known-7-1.parquet'),
  })
  const pending = { segment: { number: segment }, events: 1, hasKnownKeys: true, attempts: 0 }
  await seal(pending)
  expect(disk.paths).toHaveLength(4)
  await seal({ ...pending, mayHaveLeftovers: true })
  expect(disk.paths.toSorted()).toEqual(
    ['a-7-0.jsonl', 'a-8-0.parquet', 'known-7-1.parquet'].map(name => `sealed/${name}`),
  )
})

const isInLog = (disk: TearingDisk): boolean => disk.paths.includes(segmentPath(segment))

describe('a segment that cannot be sealed', () => {
  test('is tried four times more, and stays where it is until then', async () => {
    const { disk, attempt } = await createWorld(count => new Error(`no ${count}`))
    for (let count = 1; count < 5; count++) {
      expect(await attempt()).toBe(`no ${count}`)
      expect(isInLog(disk)).toBe(true)
    }
    expect(await attempt()).toEqual({
      files: [],
      keys: [],
      damage: [{ file: unsealedName(segment), bytes: 0, events: 3, reason: 'The segment could not be sealed: no 5' }],
    })
    expect(isInLog(disk)).toBe(false)
    expect(Buffer.from(disk.contents(`_quarantine/${unsealedName(segment)}`)).equals(bytes)).toBe(true)
  })

  test('leaves no files of its attempts when it is set aside, and those of others alone', async () => {
    const { disk, attempt } = await createWorld(() => new Error('no'))
    const others = ['known-7-2.jsonl', 'a-17-0.jsonl', 'a-8-7.jsonl'].map(name => `sealed/${name}`)
    for (const path of ['sealed/a-7-0.jsonl', 'sealed/a-7-1.jsonl.gz', ...others]) await writeSynced(disk, path, bytes)
    await disk.fsyncDir('sealed')
    for (let count = 0; count < 5; count++) await attempt()
    expect(disk.paths.filter(path => path.startsWith('sealed/')).toSorted()).toEqual(others.toSorted())
    expect([...disk.safeFiles().keys()].filter(path => path.startsWith('sealed/')).toSorted()).toEqual(
      others.toSorted(),
    )
  })

  test('is never set aside for what the disk refuses to write', async () => {
    const { disk, attempt } = await createWorld(() => Object.assign(new Error('full'), { code: 'ENOSPC' }))
    for (let count = 0; count < 50; count++) expect(await attempt()).toBe('full')
    expect(isInLog(disk)).toBe(true)
  })

  test('has no list any more, for good, before it is set aside; and is set aside for good', async () => {
    let isSafeFirst: boolean | undefined
    const { disk, attempt } = await createWorld(
      () => new Error('no'),
      operation => {
        if (operation === 'rename') isSafeFirst = !disk.safeFiles().has(sealedListPath(segment))
      },
    )
    for (let count = 0; count < 5; count++) await attempt()
    expect(isSafeFirst).toBe(true)
    expect(disk.safeFiles().has(`_quarantine/${unsealedName(segment)}`)).toBe(true)
  })
})
