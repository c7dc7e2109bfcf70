import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importSpool } from '../../../../admin/cli/import/import-spool.ts'
import { parseWriterName } from '../../../../admin/cli/import/old-spool.ts'
import { compressLzf } from '../../../../src/codecs/lzf.ts'
import { createSmileWriter } from '../../../../src/formats/smile/writer.ts'
import { type OfflineSpool, openOffline } from '../../../../src/spool/tool/offline.ts'
import { createDirectory, flushAll, writeTree } from '../spool-dirs.ts'

const smile = readFileSync('test/fixtures/smile/spool-2events.smile')
const thrift = readFileSync('test/fixtures/thrift/spool-2fuu.thrift')
const json = readFileSync('test/fixtures/smile/spool-2events.json')

const smileWriter = '127.0.0.1-8080-FWxB-2011-05-03T21.56.34.327.FuuEvent.smile'
const thriftWriter = '10.1.2.3-8080-Ab12-2009-01-01T02.00.00.000.FuuEvent.thrift'
const jsonWriter = '10.1.2.3-8080-Cd34-2011-05-03T21.00.00.000.FuuEvent.json'

const withSpool = async <T>(directory: string, work: (spool: OfflineSpool) => Promise<T>): Promise<T> => {
  const spool = await openOffline(directory, { create: true })
  try {
    return await work(spool)
  } finally {
    await spool.close()
  }
}

describe('parseWriterName', () => {
  test.each([
    [
      '127.0.0.1-8080-pYb2-2011-05-27T15.42.03.124.FrontDoorVisit.smile',
      { eventName: 'FrontDoorVisit', suffix: 'smile', createdAt: Date.UTC(2011, 4, 27, 15, 42, 3, 124) },
    ],
    [
      '10.18.81.236-8080-I3wp-2012-03-23T01.08.32.469.aaa-bbb-ccc.thrift',
      { eventName: 'aaa-bbb-ccc', suffix: 'thrift', createdAt: Date.UTC(2012, 2, 23, 1, 8, 32, 469) },
    ],
    [
      'collector-7.example.com-8080-I3wp-2012-03-23T01.08.32.469.my.event_1.json',
      { eventName: 'my.event_1', suffix: 'json', createdAt: Date.UTC(2012, 2, 23, 1, 8, 32, 469) },
    ],
    ['10.0.0.1-8080-I3wp-2012-13-23T01.08.32.469.x.json', undefined],
    ['10.0.0.1-8080-I3wpX-2012-03-23T01.08.32.469.x.json', undefined],
    ['lost+found', undefined],
    ['', undefined],
  ])('%s', (name, want) => expect(parseWriterName(name)).toEqual(want))
})

describe('importSpool', () => {
  test('takes files of every place and format, with their own dates, and moves them away', async () => {
    const [root, directory] = [await createDirectory(), await createDirectory()]
    await writeTree(root, {
      [`${smileWriter}/1.bin`]: smile,
      [`${smileWriter}/_lock/2.bin`]: compressLzf(smile),
      [`${thriftWriter}/_quarantine/3.bin`]: thrift,
      [`${jsonWriter}/_tmp/4.bin`]: json.subarray(0, json.length - 1),
      'somebody-else/5.bin': 'no spool',
    })
    const report = await withSpool(directory, spool => importSpool({ spool, root }))
    expect(report).toMatchObject({ events: 8, unreadable: 0, skipped: ['somebody-else'] })
    expect(report.files.map(({ place, events, outcome }) => [place, events, outcome])).toEqual([
      ['_quarantine', 2, 'imported'],
      ['_tmp', 2, 'imported'],
      ['committed', 2, 'imported'],
      ['_lock', 2, 'imported'],
    ])
    expect(existsSync(join(root, '_imported', smileWriter, '_lock/2.bin'))).toBe(true)
    expect(readdirSync(join(root, smileWriter)).filter(name => name.endsWith('.bin'))).toEqual([])
    expect(readFileSync(join(root, 'somebody-else/5.bin'), 'utf8')).toBe('no spool')

    const { events, report: flushed } = await flushAll(directory)
    expect(flushed.failures).toBe(0)
    const hello = { eventDate: 1304459794698, eventGranularity: 'HOURLY', hello: 'world' }
    const fuu = { eventDate: 1230775384000, eventGranularity: 'HOURLY', 0: 'fuuness', 1: 100 }
    expect(events.filter(({ payload }) => 'hello' in payload).map(({ payload }) => payload)).toEqual(
      Array(6).fill(hello),
    )
    expect(events.filter(({ payload }) => !('hello' in payload)).map(({ payload }) => payload)).toEqual([fuu, fuu])
    expect(new Set(events.map(({ eventName }) => eventName))).toEqual(new Set(['FuuEvent']))
  })

  test('a second run takes nothing twice, whether the files were moved or kept', async () => {
    for (const keep of [false, true]) {
      const [root, directory] = [await createDirectory(), await createDirectory()]
      await writeTree(root, { [`${smileWriter}/1.bin`]: smile, [`${thriftWriter}/2.bin`]: thrift })
      await withSpool(directory, spool => importSpool({ spool, root, keep }))
      const again = await withSpool(directory, spool => importSpool({ spool, root, keep }))
      expect(again.events).toBe(0)
      expect(again.files.map(({ outcome }) => outcome)).toEqual(keep ? ['known', 'known'] : [])
      expect((await flushAll(directory)).events).toHaveLength(4)
    }
  })

  test('stopped after the events were safe and before the files were moved: they are known the next time', async () => {
    const [root, directory] = [await createDirectory(), await createDirectory()]
    // The target of the move is a file: the move fails.
    await writeTree(root, { [`${smileWriter}/1.bin`]: smile, _imported: 'in the way' })
    await expect(withSpool(directory, spool => importSpool({ spool, root }))).rejects.toThrow()
    await writeTree(root, { [`${thriftWriter}/2.bin`]: thrift })
    const report = await withSpool(directory, spool => importSpool({ spool, root, keep: true }))
    expect(report.files.map(({ outcome, events }) => [outcome, events])).toEqual([
      ['imported', 2],
      ['known', 0],
    ])
    expect((await flushAll(directory)).events).toHaveLength(4)
  })

  test('a write that fails leaves the spool and the files as they were', async () => {
    const [root, directory] = [await createDirectory(), await createDirectory()]
    await writeTree(root, { [`${smileWriter}/1.bin`]: smile })
    const broken = withSpool(directory, spool =>
      importSpool({
        spool: {
          ...spool,
          disk: { ...spool.disk, rename: () => Promise.reject(new Error('EIO: i/o error')) },
        },
        root,
      }),
    )
    await expect(broken).rejects.toThrow('EIO')
    expect(existsSync(join(root, smileWriter, '1.bin'))).toBe(true)
    expect((await flushAll(directory)).events).toEqual([])
    expect((await withSpool(directory, spool => importSpool({ spool, root }))).events).toBe(2)
  })

  test('a file that was being written: all complete events, also the one that lacks only its end', async () => {
    // Without F9; without FB F9, as the old encoder held the newest event's end back; within the second event.
    for (const [cut, events, unreadable] of [
      [1, 2, 0],
      [2, 2, 0],
      [8, 1, 1],
    ] as const) {
      const [root, directory] = [await createDirectory(), await createDirectory()]
      await writeTree(root, { [`${smileWriter}/_tmp/1.bin`]: smile.subarray(0, smile.length - cut) })
      const report = await withSpool(directory, spool => importSpool({ spool, root }))
      expect(report, `${cut} bytes cut`).toMatchObject({ events, unreadable })
      expect((await flushAll(directory)).events).toHaveLength(events)
    }
  })

  test('damage within a Thrift file costs only the record it hits', async () => {
    const [root, directory] = [await createDirectory(), await createDirectory()]
    const damaged = Buffer.concat([thrift, thrift])
    // The type of the first field of the second record.
    damaged[thrift.length / 2 + 19] = 0xff
    await writeTree(root, { [`${thriftWriter}/1.bin`]: damaged })
    const report = await withSpool(directory, spool => importSpool({ spool, root }))
    expect(report.events).toBe(3)
    expect(report.unreadable).toBeGreaterThanOrEqual(1)
    expect(report.files[0]?.details).toEqual([expect.stringMatching(/^bytes 68 to 135: thrift: /)])
  })

  test('what cannot be read at all is left where it is', async () => {
    const [root, directory] = [await createDirectory(), await createDirectory()]
    await writeTree(root, {
      '10.1.2.3-8080-Ef56-2011-05-03T21.00.00.000.X.bin/1.bin': Buffer.from('aced0005', 'hex'),
      [`${thriftWriter}/2.bin`]: 'not thrift at all',
      [`${smileWriter}/3.bin`]: Buffer.from('5a5601ffffffff', 'hex'),
    })
    const report = await withSpool(directory, spool => importSpool({ spool, root }))
    expect(report.files.map(({ outcome }) => outcome)).toEqual(['left', 'left', 'left'])
    expect(existsSync(join(root, thriftWriter, '2.bin'))).toBe(true)
    expect(existsSync(join(root, '_imported'))).toBe(false)
  })

  test('a missing date and name are those of the writer; a bad name is counted and not taken', async () => {
    const [root, directory] = [await createDirectory(), await createDirectory()]
    const writer = createSmileWriter()
    writer.startArray()
    writer.write({ payload: { a: 1 } })
    writer.write({ eventName: 'x/../y', payload: { a: 2 } })
    writer.write({ eventName: 'Other', payload: { eventDate: '2011-05-03T21:00:00Z', eventGranularity: 'DAILY' } })
    writer.write('no event')
    writer.endArray()
    await writeTree(root, { [`${smileWriter}/1.bin`]: writer.take() })
    const report = await withSpool(directory, spool => importSpool({ spool, root }))
    expect(report).toMatchObject({ events: 2, unreadable: 2 })
    const { events } = await flushAll(directory)
    expect(events).toContainEqual({
      eventName: 'Other',
      payload: { eventDate: '2011-05-03T21:00:00Z', eventGranularity: 'DAILY' },
    })
    expect(events.find(({ payload }) => payload['a'] === 1)?.payload).toEqual({
      a: 1,
      eventDate: Date.UTC(2011, 4, 3, 21, 56, 34, 327),
      eventGranularity: 'HOURLY',
    })
  })

  test('without a spool everything is read and nothing changed', async () => {
    const root = await createDirectory()
    await writeTree(root, { [`${smileWriter}/1.bin`]: smile })
    const seen: number[] = []
    const report = await importSpool({ spool: undefined, root, onProgress: done => seen.push(done) })
    expect(report.events).toBe(2)
    expect(readdirSync(root)).toEqual([smileWriter])
    expect(seen).toEqual([0, smile.length])
  })

  test("one writer's directory alone", async () => {
    const [root, directory] = [await createDirectory(), await createDirectory()]
    await writeTree(root, { [`${smileWriter}/1.bin`]: smile })
    const report = await withSpool(directory, spool => importSpool({ spool, root: join(root, smileWriter) }))
    expect(report.events).toBe(2)
    expect(existsSync(join(root, '_imported', smileWriter, '1.bin'))).toBe(true)
  })
})
