import { describe, expect, test } from 'vitest'
import { createSealing } from '../../../../src/spool/seal/sealing.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { readSegment } from '../../../../src/spool/segment/segment-reader.ts'
import { verifySpool } from '../../../../src/spool/tool/verify.ts'
import { createMemoryHdfs, type MemoryHdfs, whole } from '../../../suites/memory-hdfs.ts'
import { jsonBatch, openTestSpool, readEvents, type TestSpool } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'
import { replicaOn } from '../takeover/lost-collector.ts'

type Held = TestSpool & {
  readonly hdfs: MemoryHdfs
  readonly disk: TearingDisk
  readonly copyOf: (n: number) => string
}

/** Two events in a closed segment, one in the open one behind it; nothing is sealed before `go`. */
const createHeld = async (go: { now: boolean }, isAway = () => false): Promise<Held> => {
  const hdfs = createMemoryHdfs({
    fail: (operation, path) =>
      isAway() && operation === 'recoverLease' && path.includes('/log-') ? 'before' : undefined,
  })
  const disk = createTearingDisk()
  const opened = await start({ hdfs, disk }, go)
  const batch = (n: number) => jsonBatch([{ n }], { name: `Type${n}` })
  for (const n of [1, 2]) await opened.spool.append(batch(n))
  opened.clock.ms += 60_000
  await opened.beat()
  await opened.spool.append(batch(3))
  const id = new TextDecoder().decode(await disk.read('id')).trim()
  const copyOf = (n: number): string => `/events/_log/${id}/log-${String(n).padStart(10, '0')}.log`
  return { ...opened, hdfs, disk, copyOf }
}

const start = async (
  { hdfs, disk, clock }: Pick<Held, 'hdfs' | 'disk'> & { readonly clock?: TestSpool['clock'] },
  go: { readonly now: boolean },
): Promise<TestSpool> => {
  const real = createSealing(disk)
  const seal: typeof real.seal = async request => {
    if (!go.now) throw Object.assign(new Error('held'), { code: 'EIO' })
    return await real.seal(request)
  }
  const sealing = { ...real, seal }
  const replica = replicaOn(hdfs)
  const settings = { ack: 'replicated' } as const
  return await openTestSpool({ disk, fileSystem: hdfs, replica, settings, sealing, ...(clock ? { clock } : {}) })
}

const goOn = async ({ beat, clock }: TestSpool): Promise<void> => {
  for (let minute = 0; minute < 4; minute++) {
    clock.ms += 60_000
    await beat()
  }
}

const found = async (hdfs: MemoryHdfs): Promise<number[]> =>
  (await readEvents(hdfs)).map(({ payload }) => Number(payload['n'])).toSorted((a, b) => a - b)

describe('R25: a segment whose file is gone is made from its copy in HDFS', () => {
  test.each([
    ['a closed one, while the server runs', 1, false],
    ['a closed one, at a start', 1, true],
    ['the open one, at a start', 2, true],
  ] as const)('%s', async (_, segment, isRestarted) => {
    const go = { now: false }
    const held = await createHeld(go)
    let [disk, opened]: [TearingDisk, TestSpool] = [held.disk, held]
    if (isRestarted) disk = held.disk.kill()
    await disk.unlink(segmentPath(segment))
    if (isRestarted)
      expect((await verifySpool(disk, { isHeld: false })).findings).toContainEqual(
        expect.objectContaining({ file: segmentPath(segment), detail: expect.stringContaining(held.copyOf(segment)) }),
      )
    if (isRestarted) opened = await start({ ...held, disk }, go)
    go.now = true
    await goOn(opened)
    expect(await found(held.hdfs)).toEqual([1, 2, 3])
    expect(opened.spool.stats()).toMatchObject({ lostSegments: [], quarantinedFiles: 0, totalFlushedEvents: 3 })
  })

  test('while HDFS does not close it, it waits, and says so', async () => {
    const go = { now: true }
    let isAway = false
    const held = await createHeld(go, () => isAway)
    await held.spool.append(jsonBatch([{ n: 4 }], { name: 'Type4' }))
    go.now = false
    held.clock.ms += 60_000
    await held.beat()
    isAway = true
    go.now = true
    await held.disk.unlink(segmentPath(2))
    await goOn(held)
    expect(held.spool.stats()).toMatchObject({ lostSegments: [], troubles: [{ work: 'sealing' }] })
    isAway = false
    await goOn(held)
    expect(await found(held.hdfs)).toEqual([1, 2, 3, 4])
    expect(held.spool.stats()).toMatchObject({ lostSegments: [], troubles: [] })
  })

  test.each([
    ['between two requests', 0, { lostEvents: 1, quarantinedEvents: 0 }],
    ['within a request', 20, { lostEvents: 0, quarantinedEvents: 1 }],
  ] as const)('what a copy lacks that ends %s is counted, and no more', async (_, more, counted) => {
    const go = { now: false }
    const held = await createHeld(go)
    const bytes = await held.disk.read(segmentPath(1))
    const [first] = readSegment(bytes, segmentPath(1))
    const cut = bytes.subarray(0, (first?.end ?? 0) + more)
    await held.hdfs.memory.create(held.copyOf(1), whole(cut), { overwrite: true })
    await held.disk.unlink(segmentPath(1))
    go.now = true
    await goOn(held)
    expect(await found(held.hdfs)).toEqual([1, 3])
    expect(held.spool.stats()).toMatchObject(counted)
  })

  test('it is lost where its copy is gone as well', async () => {
    const go = { now: false }
    const held = await createHeld(go)
    await held.hdfs.memory.delete(held.copyOf(1))
    await held.disk.unlink(segmentPath(1))
    go.now = true
    await goOn(held)
    expect(await found(held.hdfs)).toEqual([3])
    expect(held.spool.stats()).toMatchObject({ lostSegments: ['0000000001.log'], lostEvents: 2 })
  })
})
