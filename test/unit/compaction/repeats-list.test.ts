/** The rows that a compaction would drop, and those that a snapshot dropped: where they are, and which stay. */
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { compactHour } from '../../../src/compaction/compact-hour.ts'
import { planCompaction } from '../../../src/compaction/plan-compaction.ts'
import { findDropped } from '../../../src/compaction/repeats/dropped-repeats.ts'
import { findRepeats, type RepeatedRow } from '../../../src/compaction/repeats/find-repeats.ts'
import { findPlannedRepeats } from '../../../src/compaction/repeats/planned-repeats.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import type { LoadedTable } from '../../../src/tables/catalog.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { expireSnapshots } from '../../../src/tables/expiry/expire-snapshots.ts'
import type { Snapshot } from '../../../src/tables/metadata.ts'
import { isMerged } from '../../../src/tables/replace/merged-name.ts'
import { repeatsKey } from '../../../src/tables/replace/replace-files.ts'
import { seededRandom } from '../../suites/crash-world.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { atHour, put } from '../tables/parquet-files.ts'
import { addDeletions } from '../tables/replace/deletions.ts'
import { addIdFile, appendData, type FileOptions, makeIdTable, place, type Row, toId, writeIdFile } from './id-table.ts'
import { always, nextDay, readTable, toCompactOptions, toText } from './table-rows.ts'

const makeWorld = async (files: readonly (readonly Row[])[] = [], options: FileOptions = {}) => {
  const fileSystem = createMemoryFileSystem()
  await makeIdTable(createDirectoryCatalog(fileSystem))
  for (const [i, rows] of files.entries()) await addIdFile(fileSystem, `raw-${i}.parquet`, rows, options)
  return fileSystem
}

const load = async (fileSystem: FileSystem): Promise<LoadedTable> => {
  const table = await createDirectoryCatalog(fileSystem).load(place.path)
  if (!table) throw new Error('there is no table')
  return table
}

const usualBytes = 512 * 1024 * 1024
const toOptions = (fileSystem: FileSystem, sortBytes = 1e6) => ({
  fileSystem,
  temporaryDirectory: tmpdir(),
  sortBytes,
  onRows: () => {},
})

type Ahead = { readonly repeats: readonly RepeatedRow[]; readonly left: readonly string[] }

const lookAhead = async (fileSystem: FileSystem, targetBytes = usualBytes, sortBytes = 1e6): Promise<Ahead> => {
  const table = await load(fileSystem)
  const plan = await planCompaction(fileSystem, table, { ...always, targetBytes })
  const left: string[] = []
  const found = findPlannedRepeats(toOptions(fileSystem, sortBytes), table, plan, reason => void left.push(reason))
  return { repeats: await Array.fromAsync(found), left }
}

const compact = async (fileSystem: FileSystem, targetBytes = usualBytes): Promise<number> => {
  const options = toCompactOptions(fileSystem, { targetBytes, groupBytes: 1_000 })
  const table = await load(fileSystem)
  const { hours } = await planCompaction(fileSystem, table, { ...always, targetBytes })
  let repeats = 0
  for (const hour of hours) repeats += (await compactHour(options, table, hour)).repeats
  return repeats
}

const lookBack = async (fileSystem: FileSystem, snapshot: Snapshot): Promise<readonly RepeatedRow[] | undefined> => {
  const table = await load(fileSystem)
  const dropped = await findDropped(fileSystem, table, snapshot)
  return dropped && (await Array.fromAsync(findRepeats(toOptions(fileSystem), place, dropped)))
}

/** Snapshots that dropped rows, the oldest first. */
const dropping = async (fileSystem: FileSystem): Promise<readonly Snapshot[]> =>
  (await load(fileSystem)).metadata.snapshots.filter(({ summary }) => summary.has(repeatsKey))

/** `file:position -> file:position`, in the order of the text. */
const toLines = (repeats: readonly RepeatedRow[]): readonly string[] =>
  repeats.map(({ dropped, stays }) => `${nameOf(dropped)} -> ${nameOf(stays)}`).sort()

const nameOf = ({ uri, position }: RepeatedRow['dropped']): string =>
  `${isMerged(uri) ? 'merged' : uri.slice(uri.lastIndexOf('/') + 1)}:${position}`

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(toId) as [string, string, string, string]

type Case = {
  /** Files that are compacted before. */
  readonly merged?: readonly (readonly Row[])[]
  readonly files: readonly (readonly Row[])[]
  readonly want: readonly string[]
}

const cases: readonly (readonly [string, Case])[] = [
  ['no file', { files: [], want: [] }],
  ['rows that all differ', { files: [[[5, a, 1]], [[5, b, 2]]], want: [] }],
  ['one row in two files', { files: [[[5, a, 1]], [[5, a, 2]]], want: ['raw-1.parquet:0 -> raw-0.parquet:0'] }],
  [
    'one row three times, twice in one file',
    {
      files: [
        [
          [4, b, 0],
          [5, a, 1],
          [5, a, 2],
        ],
        [[5, a, 3]],
      ],
      want: ['raw-0.parquet:2 -> raw-0.parquet:1', 'raw-1.parquet:0 -> raw-0.parquet:1'],
    },
  ],
  [
    'a row in a merged file and in new ones',
    {
      merged: [
        [
          [5, a, 1],
          [6, b, 2],
        ],
        [[7, c, 3]],
      ],
      files: [
        [
          [1, d, 4],
          [7, c, 5],
        ],
        [
          [1, d, 6],
          [7, c, 7],
        ],
      ],
      want: ['raw-0.parquet:1 -> merged:2', 'raw-1.parquet:0 -> raw-0.parquet:0', 'raw-1.parquet:1 -> merged:2'],
    },
  ],
  [
    'no rows without an id, of another date, or with texts that are no ids',
    {
      files: [
        [
          [5, null, 1],
          [5, null, 2],
          [5, a, 3],
          [6, a, 4],
          [7, 'no id', 5],
          [7, 'no id', 6],
        ],
      ],
      want: [],
    },
  ],
]

describe('rows that repeat an event are listed beside the one that stays', () => {
  test.each(cases)('%s', async (_, { merged = [], files, want }) => {
    const fileSystem = await makeWorld()
    for (const [i, rows] of merged.entries()) await addIdFile(fileSystem, `old-${i}.parquet`, rows)
    await compact(fileSystem)
    for (const [i, rows] of files.entries()) await addIdFile(fileSystem, `raw-${i}.parquet`, rows)
    const { repeats, left } = await lookAhead(fileSystem)
    expect(left).toEqual([])
    expect(toLines(repeats)).toEqual(want)
    // A size with which the merged file stays beside.
    expect((await lookAhead(fileSystem, 1)).repeats).toEqual(repeats)
    // On the disk, in many runs.
    expect((await lookAhead(fileSystem, usualBytes, 1)).repeats).toEqual(repeats)
    expect(await compact(fileSystem)).toBe(want.length)
    const [snapshot] = await dropping(fileSystem)
    expect(snapshot && (await lookBack(fileSystem, snapshot))).toEqual(want.length === 0 ? undefined : repeats)
    expect((await lookAhead(fileSystem)).repeats).toEqual([])
  })

  test('with its date and its id', async () => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, a, 2]]])
    const [repeat] = (await lookAhead(fileSystem)).repeats
    expect(repeat).toMatchObject({ time: (atHour(8) + 5) * 1_000, id: a })
  })

  test('by its number in the file, where row groups of other dates are not read', async () => {
    const fileSystem = await makeWorld()
    const rows = Array.from({ length: 300 }, (_, n): Row => [n * 1_000, toId(`${n}`), n])
    await addIdFile(fileSystem, 'old.parquet', rows)
    await compact(fileSystem)
    await addIdFile(fileSystem, 'late.parquet', [[217_000, toId('217'), 900]])
    const { repeats } = await lookAhead(fileSystem, 1)
    expect(toLines(repeats)).toEqual(['late.parquet:0 -> merged:217'])
  })

  test('also between files of the collector and those of other programs', async () => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, b, 2]]])
    const foreign: readonly Row[] = [
      [5, a, 91],
      [5, c, 3],
    ]
    await addIdFile(fileSystem, 'foreign.parquet', foreign, { isForeign: true })
    const { repeats } = await lookAhead(fileSystem)
    expect(toLines(repeats)).toEqual(['foreign.parquet:0 -> raw-0.parquet:0'])
    expect(await compact(fileSystem)).toBe(1)
    const [snapshot] = await dropping(fileSystem)
    // The others were merged by a snapshot of their own before.
    const after = toLines((snapshot && (await lookBack(fileSystem, snapshot))) ?? [])
    expect(after).toEqual([expect.stringMatching(/^foreign\.parquet:0 -> merged:[01]$/)])
  })

  test('but none of a file that a compaction leaves, which is named', async () => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, a, 2]]])
    await fileSystem.delete(`${place.path}/raw-1.parquet`)
    await put(fileSystem, `${place.path}/raw-1.parquet`, Buffer.from('PAR1 no file PAR1'))
    const { repeats, left } = await lookAhead(fileSystem)
    expect(repeats).toEqual([])
    expect(left).toEqual([expect.stringMatching(/^2026-11-22T08:00Z: .*raw-1\.parquet/)])
  })

  test.each(['positions', 'equality'] as const)('and none beside rows that were deleted by %s', async kind => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, b, 2]]])
    await compact(fileSystem)
    const hour = Math.floor(atHour(8) / 3_600_000)
    await addDeletions(fileSystem, createDirectoryCatalog(fileSystem), kind, hour, place)
    for (const name of ['x', 'y']) await addIdFile(fileSystem, `${name}.parquet`, [[5, a, 9]])
    const { repeats } = await lookAhead(fileSystem)
    expect(toLines(repeats)).toEqual(['y.parquet:0 -> x.parquet:0'])
    expect(await compact(fileSystem)).toBe(1)
    const [snapshot] = await dropping(fileSystem)
    expect(snapshot && (await lookBack(fileSystem, snapshot))).toEqual(repeats)
  })
})

describe('what a snapshot dropped', () => {
  test('is that of each of several, also where files came while it was made', async () => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, a, 2]]])
    let isDone = false
    const busy: FileSystem = {
      ...fileSystem,
      publish: async (path, source, options) => {
        if (!isDone) {
          isDone = true
          await addIdFile(fileSystem, '0.parquet', [[5, a, 3]])
        }
        return await fileSystem.publish(path, source, options)
      },
    }
    expect(await compact(busy)).toBe(1)
    expect(await compact(fileSystem)).toBe(1)
    const [first, second] = await dropping(fileSystem)
    expect(first && toLines((await lookBack(fileSystem, first)) ?? [])).toEqual(['raw-1.parquet:0 -> raw-0.parquet:0'])
    expect(second && toLines((await lookBack(fileSystem, second)) ?? [])).toEqual(['0.parquet:0 -> merged:0'])
  })

  test('is not what one before it removed from a manifest that both have', async () => {
    const fileSystem = await makeWorld()
    const rows: readonly Row[] = [
      [5, a, 1],
      [5, a, 2],
    ]
    // The last one is not due, and keeps the manifest of the first one.
    await appendData(fileSystem, [
      await writeIdFile(fileSystem, 'first.parquet', rows, { hour: 9 }),
      await writeIdFile(fileSystem, 'last.parquet', [[5, null, 3]], { hour: 10 }),
    ])
    expect(await compact(fileSystem)).toBe(1)
    await addIdFile(fileSystem, 'second.parquet', rows)
    expect(await compact(fileSystem)).toBe(1)
    const [first, second] = await dropping(fileSystem)
    expect(first && toLines((await lookBack(fileSystem, first)) ?? [])).toEqual(['first.parquet:1 -> first.parquet:0'])
    expect(second && toLines((await lookBack(fileSystem, second)) ?? [])).toEqual([
      'second.parquet:1 -> second.parquet:0',
    ])
  })

  test('is gone with the snapshot before it', async () => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, a, 2]]])
    await compact(fileSystem)
    const [snapshot] = await dropping(fileSystem)
    for (let n = 0; n < 9; n++) await addIdFile(fileSystem, `later-${n}.parquet`, [[6, toId(`${n}`), n]], { hour: 9 })
    const catalog = createDirectoryCatalog(fileSystem)
    const now = () => nextDay.now() + 1e9
    await expireSnapshots({ ...nextDay, now, fileSystem, catalog, path: place.path, olderThanMs: 1, isTrial: false })
    // The last ten stay.
    expect(await dropping(fileSystem)).toMatchObject([{ id: snapshot?.id }])
    expect(snapshot && (await lookBack(fileSystem, snapshot))).toBeUndefined()
  })

  test('cannot be told where a file of the snapshot before it is gone, which is named', async () => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, a, 2]]])
    await compact(fileSystem)
    await fileSystem.delete(`${place.path}/raw-0.parquet`)
    const [snapshot] = await dropping(fileSystem)
    await expect(snapshot && lookBack(fileSystem, snapshot)).rejects.toThrow(/raw-0\.parquet/)
  })

  test('is told only of a snapshot that replaced files', async () => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, a, 2]]])
    const { metadata } = await load(fileSystem)
    const appended = metadata.snapshots.at(-1)
    await expect(appended && lookBack(fileSystem, appended)).rejects.toThrow('expected files of an hour')
  })
})

/** Seeds of the property; the seed of a failure is in its name. */
const seeds = Array.from({ length: Number(process.env['SLUICE_TEST_REPEAT_SEEDS'] ?? 12) }, (_, i) => i + 1)

test.each(seeds)('what is listed before is what is dropped, and what is listed afterwards: seed %i', async seed => {
  const random = seededRandom(seed)
  const below = (most: number): number => Math.floor(random() * most)
  const fileSystem = await makeWorld()
  let n = 0
  for (let round = 0; round < 4; round++) {
    for (let files = 1 + below(3); files > 0; files--) {
      const rows = Array.from({ length: 1 + below(12) }, (): Row => {
        const at = below(4)
        return [at, random() < 0.15 ? null : toId(`${at} ${below(6)}`), ++n]
      })
      const isForeign = random() < 0.2
      await addIdFile(fileSystem, `f-${n}.parquet`, rows, { hour: 8 + below(2), isForeign, rowsOfGroup: 1 + below(8) })
    }
    const targetBytes = [1, 2_500, usualBytes][below(3)] ?? 1
    const before = new Map((await readTable(fileSystem, place.path)).files.map(file => [file.uri, file]))
    const known = new Set((await dropping(fileSystem)).map(({ id }) => id))
    const { repeats } = await lookAhead(fileSystem, targetBytes, 1 + below(2_000))
    // Each is a row with date and id of the one that stays, of which the payloads tell which is which.
    const rowAt = ({ uri, position }: RepeatedRow['dropped']): Readonly<Record<string, string>> => {
      const { names = [], rows = [] } = before.get(uri) ?? {}
      return Object.fromEntries(names.map((name, i) => [name, toText(rows[position]?.[i] ?? null)]))
    }
    for (const { id, dropped, stays } of repeats) {
      expect(rowAt(dropped)).toMatchObject({ _eventId: id, eventDate: rowAt(stays)['eventDate'] })
      expect(rowAt(stays)).toMatchObject({ _eventId: id })
    }
    const payloads = async () => (await readTable(fileSystem, place.path)).rows.map(row => row.replace(/.*,/, ''))
    const all = await payloads()
    expect(await compact(fileSystem, targetBytes)).toBe(repeats.length)
    const left = new Set(await payloads())
    const gone = all.filter(one => !left.has(one)).sort()
    expect(repeats.map(({ dropped }) => `"${rowAt(dropped)['n']}"]`).sort()).toEqual(gone)
    const after: RepeatedRow[] = []
    for (const snapshot of await dropping(fileSystem))
      if (!known.has(snapshot.id)) {
        const found = (await lookBack(fileSystem, snapshot)) ?? []
        expect(found).toHaveLength(Number(snapshot.summary.get(repeatsKey)))
        after.push(...found)
      }
    const places = (of: readonly RepeatedRow[]) => of.map(({ dropped }) => `${dropped.uri}:${dropped.position}`).sort()
    expect(places(after)).toEqual(places(repeats))
  }
})
