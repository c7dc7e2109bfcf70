import { describe, expect, test } from 'vitest'
import type { BucketFile } from '../../../../src/spool/files/bucket-file.ts'
import { readFrames, toFrame } from '../../../../src/spool/framing/framing.ts'
import { type Ledger, openLedger, readLedger } from '../../../../src/spool/ledger/ledger.ts'
import { verifySpool } from '../../../../src/spool/tool/verify.ts'
import { createWorld, seededRandom, type World } from '../../../suites/crash-world.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'
import { createTearingDisk, type TearingDisk, type TearingDiskOptions } from '../../../suites/tearing-disk.ts'

const file = (name: string, events = 1): BucketFile => ({
  name,
  directory: '/events/a/2026',
  segment: 1,
  format: 'jsonl',
  codec: 'none',
  kind: 'smile',
  length: 1,
  crc: 2,
  events,
  oldest: 3,
})

/** Each of a segment of its own: that of `a` is the first one. */
const sealed = (name: string, events = 1) => {
  const segment = name.charCodeAt(0) - 'a'.charCodeAt(0) + 1
  return { type: 'sealed', segment, files: [file(name, events)], keys: [], damage: [] } as const
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const noDamage = (): never => {
  throw new Error('The ledger is not damaged')
}

const open = async (options: TearingDiskOptions = {}): Promise<{ disk: TearingDisk; ledger: Ledger }> => {
  const disk = createTearingDisk(options)
  return { disk, ledger: await openLedger(disk, true, noDamage) }
}

describe('openLedger', () => {
  test('R2: what was appended survives a power cut', async () => {
    const { disk, ledger } = await open()
    await Promise.all([ledger.append(sealed('a', 7)), ledger.append({ type: 'committed', name: 'a', at: 5 })])
    await ledger.append({ type: 'flush', enabled: false }, { type: 'end', segment: 4, end: 99 })
    for (let seed = 0; seed < 20; seed++) {
      const state = await readLedger(disk.powerCut(seededRandom(seed)))
      expect(state).toMatchObject({ flushEnabled: false, flushedEvents: 7, lastSealed: 1 })
      expect(state.ends.get(4)).toBe(99)
      expect(state.files.get('a')?.state).toEqual({ at: 'committed', since: 5 })
    }
  })

  test('the same step twice counts once', async () => {
    const { ledger } = await open()
    await ledger.append(sealed('a', 7))
    for (let i = 0; i < 2; i++) await ledger.append({ type: 'committed', name: 'a', at: i })
    expect(ledger.state.flushedEvents).toBe(7)
  })

  test.each(['append', 'fdatasync'] as const)(
    'an entry whose %s failed does not count, now or later',
    async operation => {
      let broken = false
      const { disk, ledger } = await open({
        fail: failing => (broken && failing === operation ? new Error('EIO') : undefined),
      })
      broken = true
      await expect(ledger.append(sealed('a'))).rejects.toThrow('EIO')
      broken = false
      expect(ledger.state.files.size).toBe(0)
      await ledger.append(sealed('b'))
      expect([...(await readLedger(disk.powerCut(() => 0))).files.names()]).toEqual(['b'])
    },
  )

  test.each(['create', 'append', 'fdatasync', 'rename', 'fsyncDir', 'unlink'] as const)(
    'what is appended after a rewrite whose %s failed is in the file that the next start reads',
    async operation => {
      let broken: string[] = []
      const { disk, ledger } = await open({
        fail: (failing, path) => {
          if (broken[0] === 'entry' && failing === 'append' && path === 'ledger.new') {
            broken = [operation]
            return new Error('EIO of the entry')
          }
          if (broken[0] !== failing) return undefined
          broken = []
          return new Error(`EIO of ${operation}`)
        },
      })
      // The ledger's own file was created as ledger.new, and keeps that path on this disk.
      broken = ['entry']
      await expect(ledger.append(sealed('a'))).rejects.toThrow('EIO')
      await ledger.append(sealed('b')).catch(() => {})
      await ledger.append(sealed('c'))
      const kept = await readLedger(disk.powerCut(() => 0.1))
      expect(new Set(kept.files.names())).toEqual(new Set(ledger.state.files.names()))
      expect(kept.files.has('c')).toBe(true)
    },
  )
})

test.each([
  'no JSON',
  'null',
  '{"type":"sealed"}',
  // Its first half could be applied.
  JSON.stringify({ ...sealed('half'), keys: [{ key: 'k', fingerprint: 'f', at: 1 }] }),
  '{"type":"end","segment":9,"end":1e999}',
])('R3: an entry that is %s ends what can be read', async text => {
  const { disk, ledger } = await open()
  await ledger.append(sealed('a'))
  await ledger.close()
  const good = disk.contents('ledger')
  const rest = Buffer.concat([toFrame(1, Buffer.from(text)), toFrame(1, Buffer.from(JSON.stringify(sealed('b'))))])
  const next = createTearingDisk()
  await (await next.create('ledger')).append(Buffer.concat([good, rest]))
  const kept: Uint8Array[] = []
  const { state } = await openLedger(next, true, async damaged => {
    kept.push(damaged)
    return { file: 'x', bytes: damaged.length, events: 0, reason: 'r' }
  })
  expect([...state.files.names()]).toEqual(['a'])
  expect(state.ends.size).toBe(0)
  expect(kept.map(toHex)).toEqual([toHex(rest)])
})

test('R3: members that a later version added to an entry stay', async () => {
  const entries = [{ ...sealed('a'), files: [{ ...file('a'), owner: 'x' }] }]
  const disk = createTearingDisk()
  await (await disk.create('ledger')).append(
    Buffer.concat(entries.map(entry => toFrame(1, Buffer.from(JSON.stringify(entry))))),
  )
  const { state } = await openLedger(disk, true, noDamage)
  expect(state.files.get('a')?.file).toMatchObject({ name: 'a', owner: 'x' })
})

test('R24: a snapshot of 20 000 files is many small frames, each written by itself, and the same when it is read', async () => {
  const files = 20_000
  const { disk, ledger } = await open()
  for (let segment = 1; segment <= files / 200; segment++) {
    const some = Array.from({ length: 200 }, (_, part) => ({
      ...file(`20260102T030435.000Z-${'a'.repeat(32)}-${segment}-${part}.jsonl.gz`),
      segment,
    }))
    await ledger.append({ type: 'sealed', segment, files: some, keys: [], damage: [] })
  }
  await ledger.append({ type: 'committed', name: [...ledger.state.files.names()][7] ?? '', at: 5 })
  const damage = Array.from({ length: 1_200 }, (_, n) => ({ file: `${n}.damaged`, bytes: n, events: 1, reason: 'r' }))
  await ledger.append({ type: 'damaged', damage })
  await ledger.close()
  let appends = 0
  const next = disk.kill({
    fail: operation => {
      if (operation === 'append') appends++
      return undefined
    },
  })
  const { state } = await openLedger(next, true, noDamage)
  const frames = [...readFrames(next.contents('ledger'))]
  expect(frames.length).toBeGreaterThan(files / 1_000)
  expect(Math.max(...frames.map(({ payload }) => payload.length))).toBeLessThan(256 << 10)
  expect(appends).toBe(frames.length)
  expect([...state.files.values()]).toEqual([...ledger.state.files.values()])
  const again = await readLedger(next)
  expect([...again.files.values()]).toEqual([...ledger.state.files.values()])
  expect(again.damage.values()).toEqual(damage)
  expect({ ...again, files: 0, keys: 0, damage: 0 }).toEqual({ ...ledger.state, files: 0, keys: 0, damage: 0 })
})

describe('R6: a disk that is full at the start', () => {
  const enospc = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })

  test.each(['create', 'append', 'fdatasync'] as const)(
    'leaves the ledger as it is, damaged end and all, until there is room (%s)',
    async operation => {
      const first = await open()
      await first.ledger.append(sealed('a', 7))
      let isFull = true
      const disk = first.disk.kill({ fail: failing => (isFull && failing === operation ? enospc : undefined) })
      const before = Buffer.concat([disk.contents('ledger'), Buffer.alloc(9)])
      disk.overwrite('ledger', before)
      const kept: Uint8Array[] = []
      const ledger = await openLedger(disk, true, async bytes => {
        if (isFull) throw enospc
        kept.push(bytes)
        return { file: 'end', bytes: bytes.length, events: 0, reason: 'torn' }
      })
      expect(ledger.state.files.has('a')).toBe(true)
      await expect(ledger.append(sealed('b'))).rejects.toThrow('ENOSPC')
      expect(Buffer.from(disk.contents('ledger'))).toEqual(before)
      isFull = false
      await ledger.append(sealed('c'))
      expect(kept.map(bytes => bytes.length)).toEqual([9])
      const { files, damage } = await readLedger(disk.powerCut(() => 0))
      expect([[...files.names()], damage.values().map(({ file }) => file)]).toEqual([['a', 'c'], ['end']])
    },
  )

  test('does not prevent a start: events are refused until there is space', async () => {
    const world = await createWorld({ settings: { keepCommittedMs: 0 } })
    await world.append(2)
    world.stop('kill', seededRandom(1))
    world.faults.disk = operation => (['create', 'append', 'fdatasync'].includes(operation) ? enospc : undefined)
    await world.start()
    await world.append(1)
    expect(world.client.acknowledged.size).toBe(2)
    world.faults.disk = undefined
    await world.beat()
    await world.append(1)
    expect(world.client.acknowledged.size).toBe(3)
    await world.calm()
    expect(await world.verdict()).toEqual(allIsWell)
  })
})

describe('R2: a torn ledger', () => {
  /** One file committed, one that waits, one segment that is not sealed. */
  const createVictim = async (): Promise<World> => {
    const world = await createWorld({ settings: { keepCommittedMs: 0, maxUncommittedEvents: 3 } })
    await world.append(2, { name: 'One' })
    world.clock.ms += 30_000
    await world.beat()
    await world.call(spool => spool.disableFlush())
    // The third one fills the segment.
    await world.append(3, { name: 'Two' })
    await world.beat()
    await world.append(2, { name: 'Three' })
    world.stop('kill', seededRandom(1))
    return world
  }

  test.each(['cut', 'flipped'])(
    '%s at any byte: the start is not refused, every event is there or in quarantine',
    async way => {
      const whole = await (await createVictim()).disk().read('ledger')
      for (let at = 0; at <= whole.length; at += at < 600 || at > whole.length - 300 ? 7 : 31) {
        const world = await createVictim()
        const bytes = await world.disk().read('ledger')
        const damaged = way === 'cut' ? bytes.slice(0, at) : bytes.with(Math.min(at, bytes.length - 1), 0xff)
        world.disk().overwrite('ledger', damaged)
        await world.start()
        expect(world.spool().stats().accepting).toBe(true)
        await world.calm()
        const { lost, twice, unknown } = await world.verdict()
        expect({ twice, unknown }, `${way} at ${at}`).toEqual({ twice: [], unknown: [] })
        if (lost.length > 0) {
          // Nothing is thrown away that exists only once.
          const kept = world.disk().paths.filter(path => path.startsWith('_quarantine/'))
          const texts = await Promise.all(kept.map(async path => Buffer.from(await world.disk().read(path)).toString()))
          for (const n of lost) expect(texts.join('\n'), `${way} at ${at}`).toContain(`"payload":{"n":${n},`)
          expect(world.spool().stats().quarantinedFiles).toBeGreaterThan(0)
        }
      }
    },
  )

  const entry = toFrame(1, Buffer.from(JSON.stringify({ type: 'flush', enabled: true })))

  test('an unacknowledged entry that kill -9 cut short is not damage', async () => {
    for (let length = 1; length < entry.length; length++) {
      const world = await createVictim()
      const bytes = await world.disk().read('ledger')
      world.disk().overwrite('ledger', Buffer.concat([bytes, entry.subarray(0, length)]))
      expect((await verifySpool(world.disk(), { isHeld: false })).findings, `${length} bytes`).toEqual([])
      await world.start()
      expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 0, flushEnabled: false })
      expect(world.disk().paths.filter(path => path.startsWith('_quarantine/'))).toEqual([])
      await world.calm()
      expect(await world.verdict()).toEqual(allIsWell)
    }
  })

  test.each([
    ['whose length is damaged', Buffer.concat([Buffer.from([0, 1]), entry.subarray(2)])],
    ['with an entry behind it', Buffer.concat([Buffer.from([0, 1]), entry.subarray(2, -1), entry])],
    ['whose bytes are damaged', entry.with(20, 0)],
  ])('an entry %s is damage, though it might be a cut one by its length', async (_, rest) => {
    const world = await createVictim()
    const bytes = await world.disk().read('ledger')
    world.disk().overwrite('ledger', Buffer.concat([bytes, rest]))
    await world.start()
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1 })
  })

  test('twice in the same moment keeps both torn ends', async () => {
    const world = await createVictim()
    for (const byte of [1, 2]) {
      const bytes = await world.disk().read('ledger')
      world.disk().overwrite('ledger', Buffer.concat([bytes, entry.with(20, byte)]))
      await world.start()
      world.stop('kill', seededRandom(1))
    }
    expect(world.disk().paths.filter(path => path.startsWith('_quarantine/ledger-')).length).toBe(2)
    await world.start()
    await world.calm()
    expect(await world.verdict()).toEqual(allIsWell)
  })
})
