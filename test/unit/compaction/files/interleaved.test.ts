/**
 * Several compactions of one directory at once, in random order: each takes the claims of others although they live, some are
 * killed, answers are lost, and a program writes files, also under names that were there before.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createRandom, type Random } from '../../../fuzz/random.ts'
import { type Around, away, createSharedMemory } from './process-view.ts'
import { compact, hourDirectory, listFiles, readVisible, write, written } from './world.ts'

const processes = 3

/** Stops before some calls, and may be killed at one or have answers lost. */
const createAround = (random: Random): Around => {
  const slowness = random.pick([1, 1, 8])
  let left = random.below(4) === 0 ? random.below(200) : Number.POSITIVE_INFINITY
  return async (operation, path, call) => {
    for (let turns = slowness * (random.below(12) === 0 ? random.below(40) : random.below(3)); turns > 0; turns--)
      await turn()
    if (left-- <= 0) throw away(path)
    const fate = random.below(60)
    if (fate === 0) throw away(path)
    if (fate === 1 && operation === 'rename') return await call('torn')
    const result = await call()
    if (fate === 2) throw away(path)
    return result
  }
}

const writeOthers = async (fileSystem: FileSystem, random: Random): Promise<void> => {
  for (let i = 0; i < 8; i++) {
    for (let turns = random.below(80); turns > 0; turns--) await turn()
    const path = `${hourDirectory}/${random.pick(['a', 'b', 'c', 'new'])}.jsonl`
    await write(fileSystem, path, `{"other":${i}}\n`).then(
      () => void others.push(JSON.stringify({ names: ['other'], values: [i] })),
      () => {},
    )
  }
}

let others: string[] = []
/** Ms: no two files have one time. */
let clock = 0

const seeds = Number(process.env['SLUICE_TEST_COMPACTIONS'] ?? 150)

test(`each row once, of ${processes} compactions at once`, async () => {
  let taken = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const random = createRandom(seed)
    others = []
    const { memory, view } = createSharedMemory(() => written + clock++)
    for (const name of ['a', 'b', 'c', 'd']) await write(memory, `${hourDirectory}/${name}.jsonl`, `{"${name}":1}\n`)
    const before = await readVisible(memory, hourDirectory)
    const run = async (): Promise<void> => {
      for (let again = 0; again < 3; again++) {
        const around = createAround(random)
        const waitForBeat = async (): Promise<void> => {
          for (let turns = random.below(10); turns > 0; turns--) await turn()
        }
        const result = await compact(view(around), { waitForBeat }).catch(() => undefined)
        taken += (result?.finished.length ?? 0) + (result?.undone.length ?? 0)
      }
    }
    await Promise.all([...Array.from({ length: processes }, run), writeOthers(memory, random)])
    // What is left is finished by one that is alone; a second look finds all done.
    await compact(memory)
    await compact(memory)
    expect(await readVisible(memory, hourDirectory), `seed ${seed}`).toEqual([...before, ...others].sort())
    expect(
      (await listFiles(memory, '/events')).filter(path => path.includes('/_')),
      `seed ${seed}`,
    ).toEqual([])
  }
  expect(taken).toBeGreaterThan(seeds / 20)
})
