import { describe, expect, test } from 'vitest'
import type { Logger } from '../../../../src/log/log.ts'
import type { Batch, KeptKey } from '../../../../src/spool/batch.ts'
import { encodeHeader } from '../../../../src/spool/framing/format-header.ts'
import { toFrame } from '../../../../src/spool/framing/framing.ts'
import { type KeyStore, openKeyStore } from '../../../../src/spool/keys/key-store.ts'
import { openLedger } from '../../../../src/spool/ledger/ledger.ts'
import { takeKeys } from '../../../../src/spool/takeover/take-keys.ts'
import { seededRandom } from '../../../suites/crash-world.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, silent } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

const kept = (n: number): KeptKey => ({
  key: `k${n}`,
  fingerprint: `f${n}`,
  outcome: { accepted: n, rejected: 0, errors: [] },
  at: n,
})

const open = (disk: TearingDisk, maxKeys = 100_000, log: Logger = silent): Promise<KeyStore> =>
  openKeyStore(disk, { maxKeys, maxEventIds: maxKeys }, log)

/** Of a collector that may take over others. */
const shared = { maxKeys: 100, maxEventIds: 100, hasOthers: true }

const fill = (store: KeyStore, from: number, to: number): void => {
  for (let n = from; n < to; n++) store.note({ idempotency: kept(n) }, n)
}

const acceptedOf = (store: KeyStore, n: number): number | undefined => store.find(`k${n}`)?.outcome.accepted

const keyFiles = (disk: TearingDisk): readonly string[] => disk.paths.filter(path => path.startsWith('keys/'))

describe('openKeyStore', () => {
  test('R2: what was flushed is known after a power cut, with its outcome; nothing else is promised', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const disk = createTearingDisk()
      const store = await open(disk)
      fill(store, 0, 5_000)
      await store.flush()
      fill(store, 5_000, 5_010)
      const again = await open(disk.powerCut(seededRandom(seed)))
      expect([again.keys.size, acceptedOf(again, 0), acceptedOf(again, 4_999)]).toEqual([5_000, 0, 4_999])
      expect(again.find('k7')?.matches('f7')).toBe(true)
      expect(again.find('k7')?.matches('f8')).toBe(false)
    }
  })

  test('files of keys that are too old to be remembered go; the latest are known after each start', async () => {
    let disk = createTearingDisk()
    const max = 8_000
    let next = 0
    for (let start = 0; start < 5; start++) {
      const store = await open(disk, max)
      for (let flush = 0; flush < 20; flush++) {
        fill(store, next, next + 500)
        next += 500
        await store.flush()
      }
      expect(store.keys.size).toBe(max)
      expect(store.keys.oldestAt).toBe(next - max)
      disk = disk.kill()
    }
    const files = keyFiles(disk)
    expect(files.length).toBeLessThanOrEqual(11)
    const again = await open(disk, max)
    expect([again.keys.size, acceptedOf(again, next - max), acceptedOf(again, next - max - 1)]).toEqual([
      max,
      next - max,
      undefined,
    ])
  })

  test('many starts that add little leave few files', async () => {
    let disk = createTearingDisk()
    for (let n = 0; n < 200; n++) {
      const store = await open(disk)
      fill(store, n, n + 1)
      await store.flush()
      disk = disk.kill()
    }
    expect(keyFiles(disk).length).toBeLessThan(70)
    const again = await open(disk)
    expect([again.keys.size, acceptedOf(again, 0), acceptedOf(again, 199)]).toEqual([200, 0, 199])
  })

  test.each(['create', 'append', 'fdatasync', 'fsyncDir'] as const)(
    'a flush whose %s failed is a failure; the next one writes all of it',
    async operation => {
      let broken = false
      const disk = createTearingDisk({
        fail: (failing, path) =>
          broken && failing === operation && path.startsWith('keys') ? new Error('EIO') : undefined,
      })
      const store = await open(disk)
      fill(store, 0, 10)
      await store.flush()
      await store.close()
      const second = await open(disk)
      fill(second, 10, 20)
      broken = true
      await expect(second.flush()).rejects.toThrow('EIO')
      broken = false
      fill(second, 20, 30)
      await second.flush()
      const again = await open(disk.powerCut(() => 0))
      expect([again.keys.size, acceptedOf(again, 15), acceptedOf(again, 29)]).toEqual([30, 15, 29])
    },
  )

  test.each([
    ['is synced', undefined],
    ['cannot be synced, and all rows are written anew', new Error('EIO')],
  ])('R2: what a killed process wrote and did not sync %s before it is relied on', async (_, failure) => {
    const first = createTearingDisk({
      fail: (operation, path) => (operation === 'fdatasync' && path.startsWith('keys/') ? new Error('EIO') : undefined),
    })
    const killed = await open(first)
    fill(killed, 0, 10)
    await expect(killed.flush()).rejects.toThrow('EIO')
    const disk = first.kill({ fail: operation => (operation === 'fsync' ? failure : undefined) })
    const store = await open(disk)
    expect(store.keys.size).toBe(10)
    await store.flush()
    expect((await open(disk.powerCut(() => 0))).keys.size).toBe(10)
  })

  test('a damaged file gives the rows before the damage, and a line', async () => {
    const disk = createTearingDisk()
    const store = await open(disk)
    fill(store, 0, 10)
    await store.flush()
    fill(store, 10, 20)
    await store.flush()
    const [path = ''] = keyFiles(disk)
    const bytes = disk.contents(path)
    disk.overwrite(path, bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1))
    const lines: string[] = []
    const again = await open(disk, 100, { ...silent, warn: (_, message) => void lines.push(message) })
    expect([again.keys.size, acceptedOf(again, 9), acceptedOf(again, 10)]).toEqual([10, 9, undefined])
    expect(lines).toEqual([expect.stringContaining('idempotency keys of earlier requests are missing')])
  })
})

describe('the spool', () => {
  const keyed = (key: string, n: number): Batch => ({
    ...jsonBatch([{ n }]),
    idempotency: { key, fingerprint: key, outcome: { accepted: 1, rejected: n, errors: [] } },
  })

  test('remembers the latest keys through sealing, restarts and clocks that jump for years; the ledger does not have them', async () => {
    const fileSystem = createMemoryFileSystem()
    let disk = createTearingDisk()
    const clock = { ms: Date.UTC(2026, 0, 1) }
    const settings = { maxKeys: 20, maxUncommittedEvents: 3 }
    const total = 57
    for (let n = 0; n < total; n++) {
      const { spool, beat } = await openTestSpool({ disk, fileSystem, clock, settings })
      await spool.append(keyed(`key-${n}`, n))
      clock.ms += (n % 2 === 0 ? 1 : -1) * 366 * 86_400_000
      await beat()
      for (let old = 0; old <= n; old++) {
        const known = spool.recall(`key-${old}`)
        expect([old, (await known?.outcome)?.rejected]).toEqual([old, old > n - 20 ? old : undefined])
      }
      expect(spool.stats().idempotencyKeys).toBe(Math.min(n + 1, 20))
      disk = n % 5 === 0 ? disk.powerCut(seededRandom(n)) : disk.kill()
    }
    expect(Buffer.from(disk.contents('ledger')).toString('latin1')).not.toContain('key-')
  })

  test('R2: a key whose segment broke off is safe before the segment goes', async () => {
    const fileSystem = createMemoryFileSystem()
    let isBroken = false
    const disk = createTearingDisk({
      fail: (operation, path) =>
        isBroken && operation === 'fdatasync' && path.startsWith('log/') ? new Error('EIO') : undefined,
    })
    const { spool, beat } = await openTestSpool({ disk, fileSystem })
    await spool.append(keyed('good', 1))
    isBroken = true
    await expect(spool.append(keyed('bad', 1))).rejects.toThrow()
    isBroken = false
    await beat()
    expect(disk.paths.filter(path => path.startsWith('log/0000000001'))).toEqual([])
    const again = await openTestSpool({ disk: disk.powerCut(() => 0), fileSystem })
    expect(again.spool.recall('good')).toBeDefined()
    expect(again.spool.recall('bad')).toBeUndefined()
  })

  test('R2: keys of a segment that a start could not read are known, and safe, once it is sealed', async () => {
    const fileSystem = createMemoryFileSystem()
    const first = createTearingDisk()
    const { spool } = await openTestSpool({ disk: first, fileSystem })
    await spool.append(keyed('k', 1))
    let isBroken = true
    const disk = first.kill({
      fail: (operation, path) =>
        isBroken && operation === 'read' && path.startsWith('log/') ? new Error('EIO') : undefined,
    })
    const second = await openTestSpool({ disk, fileSystem })
    expect(second.spool.recall('k')).toBeUndefined()
    isBroken = false
    await second.beat()
    expect(second.spool.recall('k')).toBeDefined()
    const third = await openTestSpool({ disk: disk.powerCut(() => 0), fileSystem })
    expect(third.spool.recall('k')).toBeDefined()
  })

  test('R22: keys that 0.1.0 kept in the ledger are safe before the ledger is written anew', async () => {
    const fileSystem = createMemoryFileSystem()
    const key: KeptKey = { ...kept(1), outcome: { accepted: 3, rejected: 0, errors: [] } }
    const snapshot = { ends: [], lastSealed: 0, files: [], keys: [key], damage: [], flushEnabled: true }
    const entry = JSON.stringify({ type: 'snapshot', ...snapshot, flushedEvents: 0 })
    const disk = createTearingDisk()
    const file = await disk.create('ledger')
    await file.append(toFrame(1, Buffer.from(entry)))
    await file.fdatasync()
    await disk.fsyncDir('.')
    let left = disk
    for (let start = 0; start < 3; start++) {
      const { spool } = await openTestSpool({ disk: left, fileSystem })
      expect(await spool.recall('k1')?.outcome).toEqual(key.outcome)
      left = left.powerCut(() => 0)
    }
  })

  test('tells the span of time that its keys cover', async () => {
    const { spool, clock } = await openTestSpool({ disk: createTearingDisk(), fileSystem: createMemoryFileSystem() })
    expect(spool.stats()).toMatchObject({ idempotencyKeys: 0, idempotencySeconds: 0 })
    await spool.append(keyed('a', 1))
    clock.ms += 90_000
    await spool.append(keyed('b', 1))
    expect(spool.stats()).toMatchObject({ idempotencyKeys: 2, idempotencySeconds: 90 })
  })
})

describe('keys that are missing', () => {
  const lines: { readonly level: string; readonly reason: unknown; readonly message: string }[] = []
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, reason: (fields as { readonly reason?: unknown }).reason, message })
  const log = { ...silent, warn: write('warn'), error: write('error') }

  /** A spool with keys of several runs, in a file for each. */
  const keep = async (disk: TearingDisk, runs: number): Promise<TearingDisk> => {
    let now = disk
    for (let run = 0; run < runs; run++) {
      const { spool, clock, beat } = await openTestSpool({ disk: now, fileSystem: createMemoryFileSystem() })
      const key = { key: `run-${run}`, fingerprint: 'f', outcome: { accepted: 1, rejected: 0, errors: [] } }
      await spool.append({ ...jsonBatch([{ run }]), idempotency: key })
      clock.ms += 30_000
      await beat()
      now = now.kill()
    }
    return now
  }
  const ways: readonly (readonly [string, (disk: TearingDisk) => unknown, RegExp])[] = [
    ['the directory was deleted', disk => disk.removeDirectory('keys'), /^keys\/0000000003\.keys is gone$/],
    ['the newest file was deleted', disk => disk.unlink('keys/0000000003.keys'), /^keys\/0000000003\.keys is gone$/],
    [
      'one in between was deleted',
      disk => disk.unlink('keys/0000000002.keys'),
      /^no file between .*1\.keys and .*3\.keys$/,
    ],
    [
      'the newest file was emptied',
      disk => disk.overwrite('keys/0000000003.keys', new Uint8Array()),
      /^keys\/0000000003\.keys has no idempotency keys any more$/,
    ],
    [
      'the newest file was cut behind its header',
      disk => disk.overwrite('keys/0000000003.keys', encodeHeader('keys')),
      /^keys\/0000000003\.keys has no idempotency keys any more$/,
    ],
    [
      'the newest file is garbage',
      disk => disk.overwrite('keys/0000000003.keys', disk.contents('keys/0000000003.keys').fill(7)),
      /^keys\/0000000003\.keys is damaged from byte 0 of \d+ on$/,
    ],
    [
      'a file is damaged',
      disk => disk.overwrite('keys/0000000002.keys', disk.contents('keys/0000000002.keys').fill(7, -9)),
      /^keys\/0000000002\.keys is damaged from byte \d+ of \d+ on$/,
    ],
  ]

  test.each(ways)('because %s, are a WARN in log and figures, and the start continues', async (_, harm, reason) => {
    lines.length = 0
    const disk = await keep(createTearingDisk(), 3)
    await harm(disk)
    const { spool, clock, beat } = await openTestSpool({ disk, fileSystem: createMemoryFileSystem(), log })
    const message = 'idempotency keys of earlier requests are missing: such a request counts twice if it is retried'
    expect(lines).toEqual([{ level: 'warn', reason: expect.stringMatching(reason), message }])
    expect(spool.stats().idempotencyProblem).toMatch(reason)
    await spool.append({
      ...jsonBatch([{ n: 1 }]),
      idempotency: { key: 'new', fingerprint: 'f', outcome: { accepted: 1, rejected: 0, errors: [] } },
    })
    clock.ms += 30_000
    await beat()
    const { spool: after } = await openTestSpool({ disk: disk.kill(), fileSystem: createMemoryFileSystem() })
    expect(after.recall('new')).toBeDefined()
    // Where keys of before are left, those that are missing may still be asked for; an empty file may be of a crash.
    const isForgotten = harm === ways[0]?.[1] || reason.source.includes('any more')
    expect(after.stats().idempotencyProblem === '').toBe(isForgotten)
  })

  test('because their file cannot be read, are one as well', async () => {
    lines.length = 0
    const disk = (await keep(createTearingDisk(), 2)).kill({
      fail: (operation, path) =>
        operation === 'stream' && path === 'keys/0000000001.keys' ? new Error('EACCES: permission denied') : undefined,
    })
    const { spool } = await openTestSpool({ disk, fileSystem: createMemoryFileSystem(), log })
    expect(spool.stats().idempotencyProblem).toMatch(/^keys\/0000000001\.keys cannot be read: EACCES/)
    expect(spool.recall('run-1')).toBeDefined()
  })

  test('are absent where a crash left the newest file empty', async () => {
    lines.length = 0
    let disk = await keep(createTearingDisk(), 1)
    const file = await disk.create('keys/0000000002.keys')
    await file.close()
    await disk.fsyncDir('keys')
    for (let run = 0; run < 2; run++) {
      const { spool, clock, beat } = await openTestSpool({ disk, fileSystem: createMemoryFileSystem(), log })
      await spool.append(jsonBatch([{ run }]))
      clock.ms += 30_000
      await beat()
      disk = disk.kill()
    }
    expect(disk.contents('keys/0000000002.keys')).toHaveLength(0)
    expect(lines).toEqual([])
  })

  test('are absent if none were ever sent, and where the oldest were dropped', async () => {
    lines.length = 0
    const { spool } = await openTestSpool({ disk: createTearingDisk(), fileSystem: createMemoryFileSystem(), log })
    expect(spool.stats().idempotencyProblem).toBe('')
    const disk = await keep(createTearingDisk(), 2)
    await disk.unlink('keys/0000000001.keys')
    const again = await openTestSpool({ disk, fileSystem: createMemoryFileSystem(), log })
    expect([again.spool.stats().idempotencyProblem, lines]).toEqual(['', []])
  })
})

describe('the requests of another spool', () => {
  /**
   * A spool of which nothing was sealed: one key is in its files of keys, one in a segment, one after the end of that.
   */
  const another = async (): Promise<TearingDisk> => {
    const disk = createTearingDisk()
    const fileSystem = createMemoryFileSystem()
    const { spool, clock, beat } = await openTestSpool({ disk, fileSystem })
    const append = (n: number) => spool.append({ ...jsonBatch([{ n }]), idempotency: kept(n) })
    await append(1)
    clock.ms += 60_000
    await beat()
    await append(2)
    const segments = (await disk.list('log')).map(({ length }) => length)
    await append(3)
    const next = disk.kill()
    const ledger = await openLedger(next, true, () => Promise.reject(new Error('nothing is damaged')))
    await ledger.append({ type: 'end', segment: 2, end: segments.at(-1) ?? 0 })
    await ledger.close()
    return next
  }

  test('are remembered, those of its segments included, and none that it refused', async () => {
    const disk = createTearingDisk()
    const store = await openKeyStore(disk, shared, silent)
    fill(store, 5, 6)
    await takeKeys(store, await another(), { maxKeys: 100, maxEventIds: 100 }, silent)
    for (const known of [store, await open(disk.powerCut(seededRandom(1)))])
      expect([1, 2, 3, 5].map(n => acceptedOf(known, n))).toEqual([1, 2, undefined, 5])
  })

  test('change nothing about a request that is known', async () => {
    const store = await openKeyStore(createTearingDisk(), shared, silent)
    const mine = { ...kept(1), outcome: { accepted: 77, rejected: 0, errors: [] } }
    store.note({ idempotency: mine }, 9)
    await takeKeys(store, await another(), { maxKeys: 100, maxEventIds: 100 }, silent)
    expect([acceptedOf(store, 1), acceptedOf(store, 2)]).toEqual([77, 2])
  })

  test('are the latest, as many as there is room for: neither they nor our own push out the others', async () => {
    const limits = { ...shared, maxKeys: 4 }
    const store = await openKeyStore(createTearingDisk(), limits, silent)
    const known = (): readonly number[] => Array.from({ length: 40 }, (_, n) => n).filter(n => store.has(`k${n}`))
    const noteOthers = async (from: number): Promise<void> => {
      const other = await openKeyStore(createTearingDisk(), limits, silent)
      fill(other, from, from + 4)
      store.noteAll(other)
    }
    fill(store, 0, 4)
    await noteOthers(10)
    await noteOthers(20)
    expect(known()).toEqual([0, 1, 2, 3, 12, 13])
    fill(store, 4, 8)
    expect(known()).toEqual([4, 5, 6, 7, 12, 13])
    // As soon as one of them has made room.
    fill(store, 8, 9)
    await noteOthers(30)
    expect(known()).toEqual([4, 5, 6, 7, 8, 33])
  })
})
