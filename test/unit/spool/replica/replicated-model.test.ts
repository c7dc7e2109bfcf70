import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AppendFile } from '../../../../src/disk/disk.ts'
import { writeSynced } from '../../../../src/disk/write-synced.ts'
import { nextTurn } from '../../../../src/runtime/next-turn.ts'
import { toRemoteName } from '../../../../src/spool/replica/remote-names.ts'
import { createReplica } from '../../../../src/spool/replica/replica.ts'
import { createMemoryHdfs } from '../../../suites/memory-hdfs.ts'
import { silent, startMs } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const collectorId = 'b'.repeat(32)

type Fate = 'before' | 'after' | 'few' | undefined
type Step = 'group' | 'roll' | 'ledger' | 'renew' | 'attach'
const steps = fc.array(
  fc.constantFrom<Step>('group', 'group', 'group', 'roll', 'ledger', 'ledger', 'renew', 'attach'),
  {
    minLength: 5,
    maxLength: 40,
  },
)
/** What becomes of one call after the other; nothing once they are through. */
const fates = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant('before' as const) },
    { weight: 1, arbitrary: fc.constant('after' as const) },
    { weight: 1, arbitrary: fc.constant('few' as const) },
  ),
  { maxLength: 120 },
)

test('whatever fails: what was safe is in the copy as long as it is in step, and again once it is', async () => {
  const property = fc.asyncProperty(steps, fates, fc.constantFrom('refuse' as const, 'local' as const), run)
  await fc.assert(property, { numRuns: 500 })
})

const run = async (all: readonly Step[], fate: readonly Fate[], whenUnavailable: 'refuse' | 'local'): Promise<void> => {
  let at = 0
  let copies = 3
  const hdfs = createMemoryHdfs({
    copies: () => copies,
    fail: () => {
      const next = fate[at++]
      copies = next === 'few' ? 1 : 3
      return next === 'few' ? undefined : next
    },
  })
  const local = createTearingDisk()
  const replica = createReplica({
    fileSystem: hdfs,
    outputDirectory: '/events',
    settings: () => ({ sync: 'hsync', replication: 3, min: 2, gatherMs: 20, takeoverMs: 1, whenUnavailable }),
    log: silent,
    now: () => startMs,
    onFenced: () => {},
  })
  const disk = replica.replicate(local)
  await disk.mkdir('log')
  await writeSynced(disk, 'id', Buffer.from('id'))
  /** What was acknowledged as safe, by path. */
  const safe = new Map<string, string>()
  let count = 0
  const write = async (file: AppendFile, path: string, text: string): Promise<void> => {
    await file.append(Buffer.from(text))
    await file.fdatasync()
    safe.set(path, (safe.get(path) ?? '') + text)
  }
  let ledger: AppendFile | undefined
  const renew = async (): Promise<void> => {
    const old = ledger
    ledger = undefined
    await old?.close()
    await disk.unlink('ledger.new')
    const file = await disk.create('ledger.new')
    const text = safe.get('ledger') ?? 'ledger'
    try {
      await file.append(Buffer.from(text))
      await file.fdatasync()
      await disk.rename('ledger.new', 'ledger')
    } catch (error) {
      await file.close()
      throw error
    }
    ledger = file
    safe.set('ledger', text)
  }
  await renew()
  await replica.begin(collectorId)
  let segment = 1
  let log: AppendFile | undefined
  const pathOf = (number: number): string => `log/${String(number).padStart(10, '0')}.log`

  const attaching: Promise<void>[] = []
  const take: Record<Step, () => Promise<void>> = {
    group: async () => {
      log ??= await disk.create(pathOf(segment))
      await write(log, pathOf(segment), `g${count++};`)
    },
    roll: async () => {
      const old = log
      log = undefined
      segment++
      await old?.close()
    },
    ledger: async () => {
      if (!ledger) await renew()
      if (ledger) await write(ledger, 'ledger', `e${count++};`)
    },
    renew,
    // Later work continues beside it.
    attach: async () => {
      attaching.push(replica.attach())
      const turns = fate.length % 40
      for (let turn = 0; turn < turns; turn++) await nextTurn()
    },
  }
  const check = async (): Promise<void> => {
    for (const [path, text] of safe) {
      const found = await hdfs.contents(`/events/_log/${collectorId}/${toRemoteName(path)}`)
      expect(Buffer.from(found ?? '').toString(), path).toMatch(new RegExp(`^${text}`))
    }
  }
  for (const step of ['attach', ...all] as const) {
    try {
      await take[step]()
    } catch {
      // Failed work is never retried: a broken segment ends, and the ledger is rewritten.
      if (step === 'group') await take.roll()
      if (step === 'ledger') await renew().catch(() => {})
    }
    if (replica.isInStep) await check()
  }
  await Promise.all(attaching)
  at = fate.length
  await replica.attach()
  expect(replica.isInStep).toBe(true)
  await check()
}
