import { describe, expect, test } from 'vitest'
import { writeSynced } from '../../../../src/disk/write-synced.ts'
import type { BucketFile, FileRecord } from '../../../../src/spool/files/bucket-file.ts'
import { openLedger, readLedger } from '../../../../src/spool/ledger/ledger.ts'
import type { LedgerEntry } from '../../../../src/spool/ledger/ledger-entry.ts'
import { type LedgerState, notedSegments } from '../../../../src/spool/ledger/ledger-state.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { rewindLedger } from '../../../../src/spool/takeover/rewind-ledger.ts'
import { seededRandom } from '../../../suites/crash-world.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

const temporaryDirectory = '/events/_tmp/id.taker'

const file = (segment: number, part: number): BucketFile => ({
  name: `20260102T030405.000Z-${'a'.repeat(32)}-${segment}-${part}.jsonl`,
  directory: '/events/a/2026',
  segment,
  format: 'jsonl',
  codec: 'none',
  kind: 'smile',
  length: 10,
  crc: 20,
  events: 3,
  oldest: 3,
})
const name = (segment: number, part: number): string => file(segment, part).name

const sealed = (segment: number, parts: number): LedgerEntry => ({
  type: 'sealed',
  segment,
  files: Array.from({ length: parts }, (_, part) => file(segment, part)),
  damage: [],
})
const moving = (segment: number, part: number): LedgerEntry => ({
  type: 'moving',
  name: name(segment, part),
  temporary: `/events/_tmp/id/${name(segment, part)}.t`,
})
const committed = (segment: number, part: number): LedgerEntry => ({
  type: 'committed',
  name: name(segment, part),
  at: 5,
})

/** A disk as it comes from HDFS: a ledger of these entries, and these segments. */
const copied = async (entries: readonly LedgerEntry[], segments: readonly number[]): Promise<TearingDisk> => {
  const disk = createTearingDisk()
  await disk.mkdir('log')
  for (const segment of segments) await writeSynced(disk, segmentPath(segment), Buffer.from('events'))
  await note(disk, ...entries)
  return disk
}

const note = async (disk: TearingDisk, ...entries: readonly LedgerEntry[]): Promise<void> => {
  const ledger = await openLedger(disk, true, () => Promise.reject(new Error('nothing is damaged')))
  for (const entry of entries) await ledger.append(entry)
  await ledger.close()
}

const rewound = async (disk: TearingDisk): Promise<LedgerState> => {
  await rewindLedger(disk, temporaryDirectory)
  return await readLedger(disk)
}

const statesOf = (state: LedgerState, segment: number): FileRecord['state'][] =>
  [...state.files.ofSegments(one => one === segment)].map(one => one.state)

const logOf = (disk: TearingDisk): string[] => disk.paths.filter(path => path.startsWith('log/')).toSorted()

describe('rewindLedger', () => {
  test('a file that waits for a snapshot of its table keeps its segment, and is not sent again', async () => {
    const placed: LedgerEntry = { type: 'placed', name: name(1, 0) }
    const disk = await copied([sealed(1, 2), moving(1, 0), placed, moving(1, 1), committed(1, 1)], [1])
    const state = await rewound(disk)
    expect([[...state.reopened], statesOf(state, 1)]).toEqual([[1], [{ at: 'placed' }, { at: 'committed', since: 5 }]])
    expect(logOf(disk)).toEqual([segmentPath(1)])
    // Sealed again it may have other bytes: what counts is the one that is at its place.
    const files = [{ ...file(1, 0), length: 11, crc: 21 }, file(1, 1)]
    await note(disk, { type: 'sealed', segment: 1, files, damage: [] })
    const again = await readLedger(disk)
    expect(again.files.get(name(1, 0))).toEqual({ file: file(1, 0), state: { at: 'placed' } })
  })

  test('a segment with files in each state is sealed again, and what was decided about each stays', async () => {
    const taken: LedgerEntry = { type: 'taken', name: name(1, 4), reason: 'no answer' }
    const refused: LedgerEntry = { type: 'quarantined', name: name(1, 2), reason: 'denied' }
    const conflict: LedgerEntry = { type: 'quarantined', name: name(1, 5), reason: 'taken', nameTaken: true }
    const disk = await copied(
      [sealed(1, 6), moving(1, 1), refused, moving(1, 3), committed(1, 3), moving(1, 4), taken, conflict],
      [1],
    )
    const state = await rewound(disk)
    expect([state.lastSealed, [...state.reopened], [...state.opened], state.drained]).toEqual([1, [1], [1], true])
    expect(statesOf(state, 1)).toEqual([
      { at: 'sealed' },
      { at: 'moving', temporary: `${temporaryDirectory}/${name(1, 1)}.t` },
      { at: 'sealed' },
      { at: 'committed', since: 5 },
      { at: 'taken', reason: 'no answer' },
      { at: 'quarantined', reason: 'taken', nameTaken: true },
    ])
    expect(logOf(disk)).toEqual([segmentPath(1)])
  })

  test('a segment that has no file and no events was never begun; one with events is missed', async () => {
    const entries: readonly LedgerEntry[] = [
      { type: 'opened', segment: 1 },
      { type: 'opened', segment: 2 },
      { type: 'closed', segment: 2, events: 3 },
      { type: 'opened', segment: 3 },
      { type: 'closed', segment: 3, events: 0 },
      { type: 'opened', segment: 4 },
    ]
    const state = await rewound(await copied(entries, [1]))
    expect([[...state.opened], [...state.closed.keys()]]).toEqual([[1, 2], [2]])
  })

  test('a segment of which all is committed is done, and its log goes', async () => {
    const disk = await copied([sealed(1, 1), moving(1, 0), committed(1, 0)], [1])
    const state = await rewound(disk)
    expect([state.lastSealed, [...state.reopened], [...state.opened]]).toEqual([1, [], []])
    expect(statesOf(state, 1)).toEqual([{ at: 'committed', since: 5 }])
    expect(logOf(disk)).toEqual([])
  })

  test('those of which all is committed stay sealed, also between others, and when it is taken over again', async () => {
    const done = [moving(2, 0), committed(2, 0), moving(3, 0), committed(3, 0)]
    const disk = await copied([sealed(1, 1), sealed(2, 1), sealed(3, 1), sealed(4, 1), ...done], [1, 2, 4, 5])
    const first = await rewound(disk)
    expect([first.lastSealed, [...first.reopened], [...first.opened]]).toEqual([4, [1, 4], [1, 4]])
    expect(logOf(disk)).toEqual([1, 4, 5].map(segmentPath))
    expect(statesOf(first, 3)).toEqual([{ at: 'committed', since: 5 }])
    // The next taker finds that log still in HDFS; the one before had not sealed anything, and had forgotten its files.
    await note(disk, { type: 'removed', name: name(2, 0) })
    await writeSynced(disk, segmentPath(2), Buffer.from('events'))
    const next = await rewound(disk)
    expect([next.lastSealed, [...next.reopened], [...next.opened]]).toEqual([4, [1, 4], [1, 4]])
    expect(logOf(disk)).toEqual([1, 4, 5].map(segmentPath))
  })

  test('a segment that was to be sealed again, and is gone by now, is missed', async () => {
    const entries: readonly LedgerEntry[] = [sealed(1, 1), sealed(2, 1)]
    const disk = await copied(entries, [1, 2])
    await rewindLedger(disk, temporaryDirectory)
    await disk.unlink(segmentPath(1))
    const state = await rewound(disk)
    expect([[...state.reopened], [...notedSegments(state)]]).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  test('of a segment whose log was never there, what is not in the file system is lost, and named', async () => {
    const refused: LedgerEntry = { type: 'quarantined', name: name(1, 3), reason: 'denied', nameTaken: true }
    const disk = await copied(
      [sealed(1, 4), moving(1, 0), committed(1, 0), moving(1, 2), refused, sealed(2, 1), sealed(3, 1)],
      [2],
    )
    const state = await rewound(disk)
    expect([state.lastSealed, [...state.reopened]]).toEqual([3, [2]])
    expect(statesOf(state, 1)).toEqual([
      { at: 'committed', since: 5 },
      { at: 'moving', temporary: `${temporaryDirectory}/${name(1, 2)}.t` },
    ])
    expect(statesOf(state, 3)).toEqual([])
    expect(state.damage.lost).toEqual({ files: ['0000000001.log', '0000000003.log'], events: 9 })
    expect((await rewound(disk)).damage.lost).toEqual(state.damage.lost)
  })

  test('of a segment whose log was never there, what is placed stays, what may be there and is not seen is lost', async () => {
    const taken: LedgerEntry = { type: 'taken', name: name(1, 1), reason: 'no answer' }
    const placed: LedgerEntry = { type: 'placed', name: name(1, 0) }
    const state = await rewound(await copied([sealed(1, 3), moving(1, 0), placed, moving(1, 1), taken], []))
    expect(statesOf(state, 1)).toEqual([{ at: 'placed' }])
    expect(state.damage.lost).toEqual({ files: ['0000000001.log'], events: 6 })
  })

  test('a file whose table is gone waits for a person, and one that was refused goes again', async () => {
    const aside = { type: 'quarantined', reason: 'r' } as const
    const disk = await copied(
      [sealed(1, 2), { ...aside, name: name(1, 0), tableGone: true }, { ...aside, name: name(1, 1) }],
      [1],
    )
    expect(statesOf(await rewound(disk), 1)).toEqual([
      { at: 'quarantined', reason: 'r', tableGone: true },
      { at: 'sealed' },
    ])
  })

  test('nothing is left of the end of a segment that was never begun, nor is there need of a log', async () => {
    const disk = createTearingDisk()
    await note(disk, { type: 'opened', segment: 1 }, { type: 'end', segment: 1, end: 9 })
    const state = await rewound(disk)
    expect([[...state.opened], [...state.ends], state.drained]).toEqual([[], [], true])
  })

  test.each(['kill', 'power cut'] as const)(
    'after a %s at any step nothing of it is lost, and it comes to the same',
    async how => {
      const piece = { file: 'segment-2.log', bytes: 0, events: 1, reason: 'r' }
      const entries: readonly LedgerEntry[] = [
        sealed(1, 1),
        { type: 'sealed', segment: 2, files: [], damage: [piece] },
        sealed(3, 1),
        moving(3, 0),
        committed(3, 0),
      ]
      let cuts = 0
      for (let at = 1, isCut = true; isCut; at++) {
        let left = Number.POSITIVE_INFINITY
        const disk = createTearingDisk({ fail: () => (--left < 0 ? new Error('cut') : undefined) })
        await disk.mkdir('log')
        for (const segment of [1, 2, 3]) await writeSynced(disk, segmentPath(segment), Buffer.from('events'))
        await disk.fsyncDir('log')
        await note(disk, ...entries)
        left = at
        isCut = await rewindLedger(disk, temporaryDirectory).then(
          () => false,
          () => true,
        )
        cuts += Number(isCut)
        const next = how === 'kill' ? disk.kill() : disk.powerCut(seededRandom(at))
        const state = await rewound(next)
        expect([[...state.reopened], statesOf(state, 1)], `cut ${at}`).toEqual([[1], [{ at: 'sealed' }]])
        expect(next.paths.filter(path => /log\/|quarantine/.test(path)).toSorted()).toEqual([
          '_quarantine/segment-2.log',
          segmentPath(1),
        ])
      }
      expect(cuts).toBeGreaterThan(5)
    },
  )

  test('once it is done, a power cut undoes nothing of it', async () => {
    const piece = { file: 'segment-2.log', bytes: 0, events: 1, reason: 'r' }
    for (let seed = 1; seed <= 10; seed++) {
      const disk = await copied([sealed(1, 1), { type: 'sealed', segment: 2, files: [], damage: [piece] }], [1, 2])
      await disk.fsyncDir('log')
      await rewindLedger(disk, temporaryDirectory)
      const next = disk.powerCut(seededRandom(seed))
      expect((await readLedger(next)).reopened, `seed ${seed}`).toEqual(new Set([1]))
      expect(next.paths, `seed ${seed}`).toEqual(expect.arrayContaining(['_quarantine/segment-2.log', segmentPath(1)]))
    }
  })

  test('what was set aside stays so, and a segment as a whole; nothing is known any more of what held no events', async () => {
    const piece = { bytes: 1, events: 1, reason: 'r' }
    const disk = await copied(
      [
        {
          type: 'sealed',
          segment: 1,
          files: [],
          damage: [
            { ...piece, file: 'segment-1-40.damaged' },
            { ...piece, file: 'segment-1-90.damaged', torn: true },
          ],
        },
        { type: 'sealed', segment: 2, files: [], damage: [{ ...piece, file: 'segment-2.log' }] },
        { type: 'sealed', segment: 3, files: [], damage: [{ ...piece, file: '0000000003.log', lost: true }] },
        { type: 'sealed', segment: 4, files: [], damage: [{ ...piece, file: 'segment-4-9.damaged' }] },
        // Of no segment: the end of a ledger, which has no events.
        { type: 'damaged', damage: [{ ...piece, events: 0, file: 'ledger-1a2b3c4d.damaged' }] },
      ],
      [1, 2],
    )
    const state = await rewound(disk)
    expect([state.lastSealed, [...state.reopened]]).toEqual([4, [1]])
    expect(state.damage.values().map(one => one.file)).toEqual([
      'segment-1-40.damaged',
      'segment-2.log',
      '0000000003.log',
      'segment-4-9.damaged',
    ])
    expect(disk.paths.filter(path => /log\/|quarantine/.test(path)).toSorted()).toEqual([
      '_quarantine/segment-2.log',
      segmentPath(1),
    ])
  })

  test('segments that were never sealed stay as they are, with their ends', async () => {
    const disk = await copied(
      [
        { type: 'opened', segment: 1 },
        { type: 'closed', segment: 1, events: 7 },
        { type: 'end', segment: 2, end: 99 },
      ],
      [1, 2],
    )
    const state = await rewound(disk)
    expect([state.lastSealed, [...state.closed], [...state.ends]]).toEqual([0, [[1, 7]], [[2, 99]]])
    expect(logOf(disk)).toHaveLength(2)
  })

  test('the end of a segment that was sealed counts when it is sealed again', async () => {
    const disk = await copied([{ type: 'end', segment: 1, end: 99 }, sealed(1, 1)], [1])
    expect([...(await rewound(disk)).ends]).toEqual([[1, 99]])
  })

  test('a file on its way that is taken over twice is where the last taker has it', async () => {
    const disk = await copied([sealed(1, 1), moving(1, 0)], [1])
    await rewindLedger(disk, '/events/_tmp/id.first')
    expect(statesOf(await rewound(disk), 1)).toEqual([
      { at: 'moving', temporary: `${temporaryDirectory}/${name(1, 0)}.t` },
    ])
  })

  test('done again, it changes nothing', async () => {
    const disk = await copied([sealed(1, 2), moving(1, 1), sealed(2, 1)], [1, 2])
    const once = await rewound(disk)
    const twice = await rewound(disk)
    expect([twice.lastSealed, [...twice.reopened], [...twice.opened], [...twice.files.values()]]).toEqual([
      once.lastSealed,
      [...once.reopened],
      [...once.opened],
      [...once.files.values()],
    ])
  })
})
