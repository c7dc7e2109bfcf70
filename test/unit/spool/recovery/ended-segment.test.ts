import { expect, test } from 'vitest'
import type { Damage } from '../../../../src/spool/ledger/damage-list.ts'
import { openLedger } from '../../../../src/spool/ledger/ledger.ts'
import { recoverSpool } from '../../../../src/spool/recovery/recovery.ts'
import { viewSpool } from '../../../../src/spool/tool/view.ts'
import { silent } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

/** Whose first segment was broken, and is sealed: its end is known for longer than its file is there. */
const createSealed = async (damage: readonly Damage[]): Promise<TearingDisk> => {
  const disk = createTearingDisk()
  const ledger = await openLedger(disk, true, () => Promise.reject(new Error('it is not damaged')))
  await ledger.append({ type: 'end', segment: 1, end: 100 })
  await ledger.append({ type: 'sealed', segment: 1, files: [], damage })
  await ledger.close()
  return disk
}

test('a broken segment that is sealed is not taken for a lost one', async () => {
  const disk = await createSealed([])
  expect(await viewSpool(disk)).toMatchObject({ segments: [], lost: [] })
  expect(await recoverSpool(disk, true, silent)).toMatchObject({ segments: [], nextSegment: 2 })
})

test('a broken segment that was given up as lost does not stop a start', async () => {
  const disk = await createSealed([{ file: '0000000001.log', bytes: 0, events: 1, reason: 'It is gone', lost: true }])
  expect((await viewSpool(disk)).lost).toHaveLength(1)
  expect(await recoverSpool(disk, true, silent)).toMatchObject({ segments: [], nextSegment: 2 })
})
