import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { parseJson } from '../../../../src/formats/json.ts'
import { lockSpool } from '../../../../src/spool/directory/lock.ts'
import type { Payload } from '../../../../src/spool/events/decode-events.ts'
import { toFrame } from '../../../../src/spool/framing/framing.ts'
import { releaseFiles, removeQuarantined } from '../../../../src/spool/quarantine/quarantine.ts'
import { encodeBatch } from '../../../../src/spool/segment/record.ts'
import { dumpSpool } from '../../../../src/spool/tool/dump.ts'
import { spoolHolder } from '../../../../src/spool/tool/is-held.ts'
import { openOffline } from '../../../../src/spool/tool/offline.ts'
import { replayQuarantine } from '../../../../src/spool/tool/replay.ts'
import { salvageBatches } from '../../../../src/spool/tool/salvage.ts'
import { verifySpool } from '../../../../src/spool/tool/verify.ts'
import { viewSpool } from '../../../../src/spool/tool/view.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { toOldFrames } from '../../../suites/old-segment.ts'
import { jsonBatch, openTestSpool, startMs, thriftBatch } from '../../../suites/spool.ts'
import { createDirectory, createSegment, flushAll } from '../spool-dirs.ts'

const segment = 'log/0000000001.log'
const batches = [jsonBatch([{ n: 0 }, { n: 1 }]), jsonBatch([{ n: 2 }]), thriftBatch('three')]

const verify = (directory: string) => verifySpool(createNodeDisk({ directory }), { isHeld: false })

const dump = async (directory: string, only?: readonly string[]) => {
  const problems: string[] = []
  const lines: string[] = []
  const options = { onProblem: (source: string, problem: string) => void problems.push(`${source}: ${problem}`) }
  for await (const { line } of dumpSpool(createNodeDisk({ directory }), { ...options, ...(only ? { only } : {}) }))
    lines.push(line)
  return { lines, problems, payloads: lines.map(line => JSON.parse(line).payload) }
}

/** A segment as version 2 wrote it; the length of its first batch is damaged, so that no more than that is known of the rest. */
const createDamaged = async (directory: string): Promise<void> => {
  await createSegment(directory, batches)
  const bytes = Buffer.concat(toOldFrames(2, batches))
  const at = bytes.readUInt32BE(0) + 8
  bytes[at + 1] = (bytes[at + 1] ?? 0) ^ 0xff
  await writeFile(join(directory, segment), bytes)
}

describe('verifySpool', () => {
  test('a whole spool has no findings, and nothing of it changes', async () => {
    const directory = await createDirectory()
    await createSegment(directory, batches)
    const before = await readFile(join(directory, 'ledger'))
    const verdict = await verify(directory)
    expect(verdict).toMatchObject({ segmentEvents: 4, fileEvents: 0, findings: [] })
    expect(await readFile(join(directory, 'ledger'))).toEqual(before)
  })

  test('every flipped byte of a segment is found', async () => {
    const directory = await createDirectory()
    await createSegment(directory, batches)
    const path = join(directory, segment)
    const good = await readFile(path)
    for (let at = 0; at < good.length; at += 7) {
      const bad = Buffer.from(good)
      bad[at] = (bad[at] ?? 0) ^ 0x10
      await writeFile(path, bad)
      const { findings } = await verify(directory)
      // Damage that a copy of the header, or a checksum, repairs is not a problem, and is reported all the same.
      const level = findings.some(({ detail }) => /the request can be read|the other one does/.test(detail))
        ? 'note'
        : 'problem'
      expect(findings, `byte ${at}`).toContainEqual(expect.objectContaining({ level, file: segment }))
    }
  })

  test('a bucket file that is damaged, cut or missing', async () => {
    for (const [damage, detail] of [
      [(path: string) => writeFile(path, 'xx'), /^Sealed with \d+ bytes and CRC [0-9a-f]{8}, found 2 bytes/],
      [(path: string) => rm(path), /^Missing, with 4 events/],
    ] as const) {
      const directory = await createDirectory()
      await createSegment(directory, [...batches, ...batches].slice(0, 2).concat(jsonBatch([{ n: 3 }])))
      const refusing = createMemoryFileSystem({
        fail: operation => (operation === 'create' ? new FileSystemError('unavailable', '/', 'away') : undefined),
      })
      await flushAll(directory, refusing)
      const [name = ''] = readdirSync(join(directory, 'sealed'))
      await damage(join(directory, 'sealed', name))
      const { findings } = await verify(directory)
      expect(findings).toEqual([{ level: 'problem', file: `sealed/${name}`, detail: expect.stringMatching(detail) }])
    }
  })

  test('the end of the ledger', async () => {
    const directory = await createDirectory()
    await createSegment(directory, batches)
    const path = join(directory, 'ledger')
    await writeFile(
      path,
      Buffer.concat([await readFile(path), Buffer.from('00000000 rubbish that was no write'.replaceAll('0', '\0'))]),
    )
    expect((await verify(directory)).findings).toMatchObject([{ level: 'problem', file: 'ledger' }])
  })

  test('no spool is an error with its place', async () => {
    const directory = await createDirectory()
    await expect(verify(directory)).rejects.toThrow(`There is no spool at ${directory}`)
  })
})

describe('dumpSpool', () => {
  test('events of segments, of files that wait, and of one named file', async () => {
    for (const settings of [
      { outputFormat: 'native', outputCodec: 'zstd' },
      { outputFormat: 'jsonl', outputCodec: 'lzf' },
      { outputFormat: 'jsonl', outputCodec: 'gzip', outputEnvelope: false },
      { outputFormat: 'sequencefile', outputCodec: 'none' },
      { outputFormat: 'sequencefile', outputCodec: 'gzip' },
      { outputFormat: 'sequencefile', outputCodec: 'zstd' },
      { outputFormat: 'native', outputCodec: 'gzip' },
    ] as const) {
      const directory = await createDirectory()
      await createSegment(directory, batches)
      const fromSegment = await dump(directory)
      expect(fromSegment).toMatchObject({ problems: [] })
      expect(fromSegment.payloads.map(({ n }) => n ?? 'thrift')).toEqual([0, 1, 2, 'thrift'])
      const away = createMemoryFileSystem({ fail: () => new FileSystemError('unavailable', '/', 'away') })
      const { spool } = await openTestSpool({ disk: createNodeDisk({ directory }), fileSystem: away, settings })
      await spool.processLeftBelowFiles()
      await spool.close()
      const fromFiles = await dump(directory)
      expect(fromFiles.problems).toEqual([])
      const hasDates = settings.outputFormat !== 'sequencefile'
      const expected = fromSegment.payloads.map(({ eventDate, eventGranularity, ...rest }) =>
        hasDates || 'n' in rest ? { eventDate, eventGranularity, ...rest } : rest,
      )
      expect(fromFiles.payloads).toEqual(expected)
      // Lines of JSON take events of both kinds.
      const [firstFile = ''] = readdirSync(join(directory, 'sealed')).sort()
      expect((await dump(directory, [firstFile])).payloads).toHaveLength(settings.outputFormat === 'jsonl' ? 4 : 3)
    }
  })

  test('lines that were written without an envelope get it back, as they were', async () => {
    const directory = await createDirectory()
    const odd = [
      '{"10":1,"2":9007199254740993,"__proto__":1.0,"\\u0000":null}',
      '{"eventName":"other","eventDate":1}',
      '{"a":1,"eventName":"a \\"name\\""}',
      '{"eventName2":1}',
      '{}',
    ]
    const name = 'a "name"'
    await createSegment(directory, [
      jsonBatch(
        odd.map(text => parseJson(text) as Payload),
        { name },
      ),
      thriftBatch('x'),
    ])
    const { lines } = await dump(directory)
    const settings = { outputFormat: 'jsonl', outputEnvelope: false } as const
    const away = createMemoryFileSystem({ fail: () => new FileSystemError('unavailable', '/', 'away') })
    const { spool } = await openTestSpool({ disk: createNodeDisk({ directory }), fileSystem: away, settings })
    await spool.processLeftBelowFiles()
    await spool.close()
    expect(await dump(directory)).toMatchObject({ lines, problems: [] })
    expect(lines[0]).toMatch(/^{"eventName":"a \\"name\\"","payload":{"10":1,"2":9007199254740993,"__proto__":1.0,/)
  })

  test.each(['none', 'gzip'] as const)(
    'Parquet files (%s), with what their columns could not hold',
    async outputCodec => {
      const directory = await createDirectory()
      const payloads = [{ n: 2n ** 60n, list: [{ a: 1 }, { a: null }] }, { n: 1 }, { n: 0.5 }, { n: [1.0, 'x'] }]
      await createSegment(directory, [jsonBatch(payloads.slice(0, 2)), thriftBatch('x')])
      const settings = { outputFormat: 'parquet', outputCodec } as const
      const away = createMemoryFileSystem({ fail: () => new FileSystemError('unavailable', '/', 'away') })
      const { spool } = await openTestSpool({ disk: createNodeDisk({ directory }), fileSystem: away, settings })
      await spool.processLeftBelowFiles()
      await spool.append(jsonBatch(payloads.slice(2)))
      await spool.processLeftBelowFiles()
      await spool.close()
      const { lines, problems } = await dump(directory)
      expect(problems).toEqual([])
      const found = lines.map(line => line.replace(/^.*"eventGranularity":"HOURLY",?/, '').replace(/}}$/, ''))
      expect(found).toEqual([
        '"n":1152921504606846976,"list":[{"a":1.0},{}]',
        '"n":1',
        '"field_1":"x"',
        '"n":0.5',
        '"n":[1,"x"]',
      ])
      expect(lines[0]).toMatch(/^{"eventName":"Hello","payload":{"eventDate":\d+,/)
    },
  )

  test('damage is reported and does not end it', async () => {
    const directory = await createDirectory()
    await createSegment(directory, [{ ...jsonBatch([{ n: 0 }]), body: Buffer.from('not json') }, jsonBatch([{ n: 1 }])])
    const { payloads, problems } = await dump(directory)
    expect(payloads).toMatchObject([{ n: 1 }])
    expect(problems).toEqual([expect.stringContaining(segment)])
  })
})

const flip = (bytes: Buffer, at: number): void => {
  bytes[at] = (bytes[at] ?? 0) ^ 0xff
}

describe('replayQuarantine', () => {
  test('records after damage come back, once', async () => {
    const directory = await createDirectory()
    await createDamaged(directory)
    const fileSystem = createMemoryFileSystem()
    const before = (await flushAll(directory, fileSystem)).stats
    expect(before).toMatchObject({ quarantinedFiles: 1 })
    for (const events of [2, 0]) {
      const spool = await openOffline(directory)
      const results = await replayQuarantine(spool)
      await spool.close()
      expect(results.reduce((sum, one) => sum + one.events, 0)).toBe(events)
    }
    const { events, stats } = await flushAll(directory, fileSystem)
    expect(new Set(events.map(({ payload }) => payload['n'] ?? payload['1']))).toEqual(new Set([2, 'three']))
    expect(events).toHaveLength(2)
    // The damaged record itself: it must not be taken for a recovered one.
    expect(stats).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: Math.max(1, before.quarantinedEvents - 2) })
    expect(readdirSync(join(directory, '_quarantine'))).toEqual([expect.stringMatching(/\.damaged\.rest$/)])
  })

  test.each([
    ['of which all came back', () => {}, [0, 1, 2, 'three'], 0],
    [
      'whose middle record is damaged',
      (bytes: Buffer, [, at = 0]: readonly number[]) => flip(bytes, at + 30),
      [0, 1, 'three'],
      1,
    ],
    [
      'whose last record is damaged',
      (bytes: Buffer, [, , at = 0]: readonly number[]) => flip(bytes, at + 30),
      [0, 1, 2],
      1,
    ],
    ['with bytes of nothing behind it', undefined, [0, 1, 2, 'three'], 0],
  ])('a piece of version 2 %s says what is left, keeps it, and counts it', async (_, damage, want, left) => {
    const directory = await createDirectory()
    await createSegment(directory, batches)
    const fileSystem = createMemoryFileSystem()
    const frames = toOldFrames(2, batches)
    const starts = frames.map((_frame, i) => Buffer.concat(frames.slice(0, i)).length)
    const bytes = Buffer.concat(damage ? frames : [...frames, Buffer.of(0, 0, 1)])
    damage?.(bytes, starts.slice(frames.length - batches.length))
    const name = 'segment-1-0.damaged'
    await rm(join(directory, segment))
    await mkdir(join(directory, '_quarantine'), { recursive: true })
    await writeFile(join(directory, '_quarantine', name), bytes)
    const noted = await openOffline(directory)
    await noted.ledger.append({
      type: 'damaged',
      damage: [{ file: name, bytes: bytes.length, events: 4, reason: 'EIO', withheld: true }],
    })
    const [result] = await replayQuarantine(noted)
    await noted.close()
    const file = `${name}${left > 0 ? '.rest' : '.replayed'}`
    expect(result?.problem ?? '').toMatch(
      left > 0 ? /^\d+ bytes with at least 1 event still cannot be read; kept as segment-1-0\.damaged\.rest$/ : /^$/,
    )
    const { events, stats } = await flushAll(directory, fileSystem)
    expect(new Set(events.map(({ payload }) => payload['n'] ?? payload['1']))).toEqual(new Set(want))
    expect(stats.quarantinedFiles).toBe(left)
    expect(stats.quarantinedEvents).toBe(4 - events.length)
    expect(await readFile(join(directory, '_quarantine', file))).toEqual(bytes)
  })

  test('stopped between the segment and the ledger: the next run appends nothing twice', async () => {
    const directory = await createDirectory()
    await createDamaged(directory)
    const fileSystem = createMemoryFileSystem()
    await flushAll(directory, fileSystem)
    const spool = await openOffline(directory)
    const renamesNothingInQuarantine = {
      ...spool.disk,
      rename: (from: string, to: string) =>
        from.startsWith('_quarantine') ? Promise.reject(new Error('EIO: i/o error')) : spool.disk.rename(from, to),
    }
    await expect(replayQuarantine({ ...spool, disk: renamesNothingInQuarantine })).rejects.toThrow('EIO')
    await spool.close()
    const again = await openOffline(directory)
    expect(await replayQuarantine(again)).toMatchObject([
      { events: 0, rest: { file: expect.stringMatching(/\.rest$/) } },
    ])
    expect(again.ledger.state.damage.values()).toHaveLength(1)
    await again.close()
    expect((await flushAll(directory, fileSystem)).events).toHaveLength(2)
  })

  test('a key that a sender makes up holds nothing back', async () => {
    const directory = await createDirectory()
    await createDamaged(directory)
    const fileSystem = createMemoryFileSystem()
    await flushAll(directory, fileSystem)
    const [name = ''] = readdirSync(join(directory, '_quarantine'))
    const starts = salvageBatches(await readFile(join(directory, '_quarantine', name)), name).map(({ start }) => start)
    const outcome = { accepted: 1, rejected: 0, errors: [] }
    const madeUp = [...starts].map(start => {
      const idempotency = { key: `replay:${name}:${start}`, fingerprint: 'f', outcome }
      return { ...jsonBatch([{ n: 'made up' }]), idempotency }
    })
    expect(madeUp.length).toBeGreaterThan(0)
    await createSegment(directory, madeUp)
    await flushAll(directory, fileSystem)
    const spool = await openOffline(directory)
    const results = await replayQuarantine(spool)
    await spool.close()
    expect(results.reduce((sum, one) => sum + one.events, 0)).toBe(2)
  })

  test('a request that is stored in part is left alone', async () => {
    const directory = await createDirectory()
    const half = jsonBatch([{ n: 0 }, { n: 1 }])
    const body = new TextEncoder().encode('[{"eventName":"Hello","payload":{"n":0}},{"eventName":"Hello","payload":7}]')
    await createSegment(directory, [{ ...half, body }])
    const { stats, events } = await flushAll(directory)
    expect(stats).toMatchObject({ quarantinedFiles: 1 })
    expect(events).toHaveLength(1)
    const spool = await openOffline(directory)
    const [result] = await replayQuarantine(spool)
    await spool.close()
    expect(result).toMatchObject({ events: 0 })
    expect(result?.problem).not.toBe('')
  })

  test('is refused while a server holds the spool', async () => {
    const directory = await createDirectory()
    await createSegment(directory, batches)
    const unlock = lockSpool(directory)
    await expect(openOffline(directory)).rejects.toThrow(/is in use by process \d+/)
    unlock()
    await (await openOffline(directory)).close()
  })
})

describe('salvageBatches', () => {
  const frames = batches.map(batch => {
    const record = encodeBatch(batch, startMs)
    const payload = new Uint8Array(record.byteLength)
    record.write(payload, 0)
    return toFrame(2, payload)
  })

  test('finds every batch that the damage does not touch, and nothing else', () => {
    const whole = Buffer.concat(frames)
    const ends = frames.map((_, i) => frames.slice(0, i + 1).reduce((sum, frame) => sum + frame.length, 0))
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(20), (at, flip, extra) => {
        const damaged = Buffer.concat([whole, new Uint8Array(extra)])
        damaged[at] = (damaged[at] ?? 0) ^ flip
        const hit = ends.findIndex(end => at < end)
        const found = [...salvageBatches(damaged, 'piece')].map(({ batch }) => batch.events.length)
        expect(found).toEqual(batches.filter((_, i) => i !== hit).map(batch => batch.events.length))
      }),
      { numRuns: 300 },
    )
  })

  test('random bytes end in nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), bytes => {
        expect([...salvageBatches(bytes, 'piece')]).toEqual([])
      }),
    )
  })
})

describe('quarantine', () => {
  const refused = async () => {
    const directory = await createDirectory()
    await createSegment(directory, [jsonBatch([{ n: 0 }, { n: 1 }])])
    const denied = createMemoryFileSystem({
      fail: operation => (operation === 'create' ? new FileSystemError('denied', '/', 'Quota') : undefined),
    })
    await flushAll(directory, denied)
    const view = await viewSpool(createNodeDisk({ directory }))
    return { directory, view, name: view.quarantine[0]?.name ?? '' }
  }

  test('a refused file is listed with its reason, released, and committed by the next start', async () => {
    const { directory, view, name } = await refused()
    const [bytes, oldest] = [expect.any(Number), expect.any(Number)]
    expect(view.quarantine).toEqual([
      { name, path: `_quarantine/${name}`, kind: 'file', events: 2, bytes, reason: 'Quota', oldest },
    ])
    const spool = await openOffline(directory)
    const outcomes = await releaseFiles(spool, [name, 'nothing'])
    await spool.close()
    expect(outcomes.map(({ done }) => done)).toEqual([true, false])
    const { events, stats } = await flushAll(directory)
    expect(events).toHaveLength(2)
    expect(stats.quarantinedFiles).toBe(0)
  })

  test('a removed file is gone, and nothing misses it', async () => {
    const { directory, name } = await refused()
    const spool = await openOffline(directory)
    expect(await removeQuarantined(spool, [name, 'nothing'])).toMatchObject([{ done: true }, { done: false }])
    await spool.close()
    expect(readdirSync(join(directory, '_quarantine'))).toEqual([])
    expect((await verify(directory)).findings).toEqual([])
    expect((await flushAll(directory)).events).toEqual([])
  })
})

describe('spoolHolder', () => {
  test('names the holder and leaves the lock alone', async () => {
    const directory = await createDirectory()
    expect(spoolHolder(directory)).toBeUndefined()
    expect(existsSync(join(directory, 'lock'))).toBe(false)
    const unlock = lockSpool(directory)
    expect(spoolHolder(directory)).toMatch(`process ${process.pid} on`)
    unlock()
    expect(spoolHolder(directory)).toBeUndefined()
  })
})
