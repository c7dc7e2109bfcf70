import { expect, test } from 'vitest'
import { nextTurn } from '../../../../src/runtime/next-turn.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, testSettings } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

test('a disk that gets low while old copies are removed: both removals continue, and the spool does too', async () => {
  let freeBytes = 1e9
  let beat: () => Promise<void> = async () => {}
  let broken = 0
  const disk = createTearingDisk({ freeBytes: () => freeBytes })
  const { spool, clock } = await openTestSpool({
    disk,
    fileSystem: createMemoryFileSystem(),
    settings: { minFreeBytes: 1_000 },
    heartbeat: body => {
      beat = body
      return () => {}
    },
    onBroken: () => broken++,
  })
  for (let n = 0; n < 60; n++) await spool.append(jsonBatch([{ n }], { name: `Type${n}` }))
  expect(await spool.processLeftBelowFiles()).toMatchObject({ files: 60, failures: 0 })
  const copies = () => disk.paths.filter(path => path.startsWith('sealed/')).length
  expect(copies()).toBe(60)

  clock.ms += testSettings.keepCommittedMs
  const beats = [beat()]
  while (copies() > 50) await nextTurn()
  freeBytes = 0
  beats.push(beat())
  await Promise.all(beats)
  expect([copies(), broken]).toEqual([0, 0])
  freeBytes = 1e9
  await beat()
  await spool.append(jsonBatch([{ n: 60 }]))
  await spool.close()
})
