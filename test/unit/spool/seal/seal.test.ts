import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import { directories } from '../../../../src/spool/files/spool-paths.ts'
import { createLog } from '../../../../src/spool/log/log.ts'
import { type SealRequest, segmentGone } from '../../../../src/spool/seal/seal.ts'
import { createSealer, type Sealer } from '../../../../src/spool/seal/sealer.ts'
import { append } from '../../../suites/append.ts'
import { jsonBatch, startMs } from '../../../suites/spool.ts'
import { readJson } from '../../rows/files.ts'

const collectorId = 'c'.repeat(32)
const request: SealRequest = {
  segment: 1,
  end: undefined,
  events: undefined,
  collectorId,
  outputDirectory: '/events',
  format: 'jsonl',
  codec: 'none',
  layout: 'dated',
  envelope: true,
  withKeys: true,
}

let directory = ''
let sealer: Sealer
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-seal-'))
  for (const name of directories) await mkdir(join(directory, name))
  const log = createLog({
    disk: createNodeDisk({ directory }),
    collectorId,
    firstSegment: 1,
    ack: 'fsync',
    settings: () => ({ maxSegmentBytes: 1 << 20, maxUncommittedEvents: 1_000, flushIntervalMs: 3_600_000 }),
    now: () => startMs,
    onClosed: async () => {},
  })
  await append(log, jsonBatch([{ n: 1 }, { n: 2 }], { name: 'One' }))
  // An event whose position is not in the body: what cannot be read must not take its neighbours along.
  const odd = jsonBatch([{ n: 3 }], { name: 'Two' })
  await append(log, { ...odd, events: odd.events.map(head => ({ ...head, index: 7 })) })
  await append(log, jsonBatch([{ n: 4 }], { name: 'One' }))
  await log.roll()
  sealer = createSealer({ directory })
})
afterEach(async () => {
  await sealer.close()
  await rm(directory, { recursive: true, force: true })
})

describe('createSealer', () => {
  test.each(['gzip', 'zstd', 'deflate'] as const)(
    'a sequence file compressed with %s is one that any reader of them knows, by name and by content',
    async codec => {
      const { files } = await sealer.seal({ ...request, format: 'sequencefile', codec })
      const [name = ''] = await readdir(join(directory, 'sealed'))
      expect(files).toMatchObject([{ name, codec: 'none', format: 'sequencefile' }])
      expect(name).toBe(`20260102T030405.000Z-${collectorId}-1-0.seq`)
      const bytes = await readFile(join(directory, 'sealed', name))
      expect(bytes.subarray(0, 4).toString('latin1')).toBe('SEQ\x06')
      const rows = await readJson(name, bytes)
      expect(rows.map(row => /"n":(\d)/.exec(row)?.[1])).toEqual(['1', '2', '4'])
    },
  )

  test('makes one file per bucket in a thread of its own, and sets aside what it cannot read', async () => {
    const { files, damage } = await sealer.seal(request)
    expect(files).toMatchObject([{ directory: '/events/One/2026/01/02/03', events: 3, segment: 1 }])
    expect(damage).toMatchObject([{ events: 1, reason: expect.stringContaining('event 7 is not in the body') }])
    const [name = ''] = await readdir(join(directory, 'sealed'))
    expect(name).toBe(`20260102T030405.000Z-${collectorId}-1-0.jsonl`)
    expect((await readFile(join(directory, 'sealed', name), 'utf8')).match(/"n":\d/g)).toEqual([
      '"n":1',
      '"n":2',
      '"n":4',
    ])
    expect(await readdir(join(directory, '_quarantine'))).toHaveLength(1)
  })

  test('makes directories that are partitions, and lines without an envelope, whose reader has to know their name', async () => {
    const { files } = await sealer.seal({ ...request, layout: 'hive', envelope: false })
    expect(files).toMatchObject([{ directory: '/events/One/dt=2026-01-02/hour=03', events: 3, eventName: 'One' }])
    const [name = ''] = await readdir(join(directory, 'sealed'))
    const [line] = (await readFile(join(directory, 'sealed', name), 'utf8')).split('\n')
    expect(line).toBe(`{"eventName":"One","n":1,"eventDate":${startMs},"eventGranularity":"HOURLY"}`)
  })

  test('the same segment sealed again gives the same files', async () => {
    const first = await sealer.seal(request)
    expect(await sealer.seal(request)).toEqual(first)
  })

  test('reads nothing beyond the end of a broken segment', async () => {
    const whole = (await readFile(join(directory, 'log', '0000000001.log'))).length
    expect((await sealer.seal({ ...request, end: whole - 1 })).files).toMatchObject([{ events: 2 }])
  })

  test('tells an error of the disk from one of the segment, and works again after it', async () => {
    await rm(join(directory, 'sealed'), { recursive: true })
    await expect(sealer.seal(request)).rejects.toMatchObject({ code: 'ENOENT' })
    await mkdir(join(directory, 'sealed'))
    const unreadable = await sealer.seal({ ...request, segment: 9 }).catch((error: unknown) => error)
    expect(unreadable).toMatchObject({
      message: expect.stringContaining('Segment 9 cannot be read'),
      code: segmentGone,
    })
    expect((await sealer.seal(request)).files).toHaveLength(1)
  })
})
