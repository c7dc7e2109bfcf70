import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { importSpool } from '../../admin/cli/import/import-spool.ts'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import { toFrame } from '../../src/spool/framing/framing.ts'
import { releaseFiles, removeQuarantined } from '../../src/spool/quarantine/quarantine.ts'
import { frameType } from '../../src/spool/segment/segment-format.ts'
import { readSegment } from '../../src/spool/segment/segment-reader.ts'
import { type OfflineSpool, takeSpool } from '../../src/spool/tool/offline.ts'
import { replayQuarantine } from '../../src/spool/tool/replay.ts'
import { verifySpool } from '../../src/spool/tool/verify.ts'
import { createWorld, seededRandom, type World } from '../suites/crash-world.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { createNameTaken } from '../suites/name-taken.ts'
import { toOldFrames } from '../suites/old-segment.ts'

/** Power cuts at each step of each tool; a release run takes more, each of which leaves another part of what was not synced. */
const rounds = Number(process.env['SLUICE_TEST_POWER_CUT_ROUNDS'] ?? 2)
const timeout = 300_000 * rounds

const directories: string[] = []
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true })
})

/** What a tool is run on, and what it is asked to do. */
type Job = {
  readonly world: World
  readonly run: (spool: OfflineSpool) => Promise<unknown>
  /** What else a power cut may undo. */
  readonly undo?: (random: () => number) => Promise<void>
}

/** Time passes for a server on the spool; what is in quarantine stays there. */
const settle = async (world: World): Promise<void> => {
  for (let i = 0; i < 4; i++) {
    world.clock.ms += 3_700_000
    await world.beat()
  }
}

/**
 * Cuts the power at one operation of the disk after the other, runs the tool again, to its end, and starts a server on
 * what is left.
 * @returns the number of power cuts
 */
const cutAtEveryStep = async (prepare: () => Promise<Job>, check: (world: World) => Promise<void>): Promise<number> => {
  let cuts = 0
  for (let round = 0; round < rounds; round++) {
    for (let at = 1, isCut = true; isCut; at++) {
      const random = seededRandom(1_000 * round + at)
      const { world, run, undo } = await prepare()
      let left = at
      const cut = Promise.withResolvers<'cut'>()
      world.faults.disk = () => {
        if (--left !== 0) return undefined
        world.stop('power cut', random)
        cut.resolve('cut')
        return new Error('The power is cut')
      }
      const work = takeSpool(world.disk()).then(run)
      // Nothing that it does after the cut ends; later failures do not matter.
      work.catch(() => {})
      isCut = (await Promise.race([cut.promise, work])) === 'cut'
      world.faults.disk = undefined
      if (isCut) {
        cuts++
        await undo?.(random)
        await run(await takeSpool(world.disk()))
      }
      await world.start()
      await settle(world)
      await check(world)
    }
  }
  expect(cuts).toBeGreaterThan(5)
  return cuts
}

/** Nothing but ends of the ledger that power cuts have torn, and bytes in which a replay found no request. */
const nothingSetAside = (world: World) => ({
  quarantinedFiles: world
    .disk()
    .paths.filter(path => /^_quarantine\/(?:ledger-[0-9a-f]+\.damaged|segment-.*\.rest)$/.test(path)).length,
})

const expectEachOnce = async (world: World): Promise<void> => {
  expect(await world.verdict()).toEqual(allIsWell)
  expect(world.spool().stats()).toMatchObject({ ...nothingSetAside(world), pendingFiles: 0, openEvents: 0 })
}

/** Two bucket files that the file system refused, and a segment that is not sealed. */
const createRefused = async (): Promise<World> => {
  const world = await createWorld({ settings: { keepCommittedMs: 0 } })
  world.faults.fileSystem = (_, path) => new FileSystemError('denied', path, 'denied')
  for (const name of ['A', 'B']) await world.append(2, { name })
  world.clock.ms += 30_000
  await world.beat()
  world.faults.fileSystem = undefined
  await world.append(1, { name: 'C', key: 'k' })
  world.stop('kill', seededRandom(1))
  return world
}

const refused = ({ ledger }: OfflineSpool): string[] =>
  [...ledger.state.files.values()].filter(({ state }) => state.at === 'quarantined').map(({ file }) => file.name)

/** A segment of version 2 with a torn place at its beginning: all of its requests are in quarantine. */
const createDamaged = async (): Promise<World> => {
  const world = await createWorld({ settings: { keepCommittedMs: 0 } })
  for (let i = 0; i < 3; i++) await world.append(2)
  world.stop('kill', seededRandom(1))
  const path = world.disk().paths.find(name => name.startsWith('log/')) ?? ''
  const bytes = world.disk().contents(path)
  const [header = Buffer.of()] = toOldFrames(2, [])
  const records = [...readSegment(bytes, path)].flatMap(part => (part.kind === 'record' ? [part.payload] : []))
  const frames = records.map(payload => toFrame(frameType.batch, payload))
  world.disk().overwrite(path, Buffer.concat([header, Buffer.alloc(40, 7), ...frames]))
  await world.start()
  await settle(world)
  expect(world.spool().stats().quarantinedFiles).toBe(1)
  world.stop('kill', seededRandom(1))
  return world
}

test('R2: spool quarantine release, cut at any step, loses nothing, and run again finishes', { timeout }, async () => {
  const prepare = async (): Promise<Job> => {
    const world = await createRefused()
    return { world, run: spool => releaseFiles(spool, refused(spool)) }
  }
  console.log(`spool quarantine release: ${await cutAtEveryStep(prepare, expectEachOnce)} power cuts, each event once`)
})

test('R2: spool quarantine release under a new name, cut at any step, loses and doubles nothing', {
  timeout,
}, async () => {
  const prepare = async (): Promise<Job> => {
    const { world, name } = await createNameTaken()
    world.stop('kill', seededRandom(1))
    return { world, run: spool => releaseFiles(spool, [name], true) }
  }
  const cuts = await cutAtEveryStep(prepare, expectEachOnce)
  console.log(`spool quarantine release --new-name: ${cuts} power cuts, each event once`)
})

test('R2: spool quarantine remove, cut at any step, removes what was named, and nothing else', {
  timeout,
}, async () => {
  let named = new Set<number>()
  const prepare = async (): Promise<Job> => {
    const world = await createRefused()
    named = new Set([...world.client.acknowledged].slice(0, 4))
    // By name, as people do: a second run finds some of them gone.
    const names = world.disk().paths.flatMap(path => /^_quarantine\/(.*\.jsonl)$/.exec(path)?.[1] ?? [])
    expect(names).toHaveLength(2)
    return { world, run: spool => removeQuarantined(spool, [...new Set([...names, ...refused(spool)])]) }
  }
  const cuts = await cutAtEveryStep(prepare, async world => {
    const { lost, ...rest } = await world.verdict()
    expect({ lost: new Set(lost), ...rest }).toEqual({ lost: named, twice: [], unknown: [] })
    expect(world.spool().stats()).toMatchObject({ ...nothingSetAside(world), pendingFiles: 0 })
  })
  console.log(`spool quarantine remove: ${cuts} power cuts, nothing else removed`)
})

test('R2: spool replay, cut at any step, loses and doubles nothing, and run again finishes', { timeout }, async () => {
  const prepare = async (): Promise<Job> => ({ world: await createDamaged(), run: spool => replayQuarantine(spool) })
  console.log(`spool replay: ${await cutAtEveryStep(prepare, expectEachOnce)} power cuts, each event once`)
})

test('R2: spool import, cut at any step, loses and doubles nothing, and run again finishes', { timeout }, async () => {
  const writer = '10.1.2.3-8080-Cd34-2011-05-03T21.00.00.000.FuuEvent.json'
  const names = ['1.bin', '2.bin', '_quarantine/3.bin']
  const prepare = async (): Promise<Job> => {
    const world = await createWorld({ settings: { keepCommittedMs: 0 } })
    await world.append(1, { key: 'k' })
    world.stop('kill', seededRandom(1))
    const root = await mkdtemp(join(tmpdir(), 'sluice-import-'))
    directories.push(root)
    for (const name of names) {
      const event = world.client.issue()
      world.client.acknowledge(event)
      await mkdir(dirname(join(root, writer, name)), { recursive: true })
      await writeFile(join(root, writer, name), JSON.stringify([{ eventName: 'FuuEvent', payload: { n: event } }]))
    }
    return {
      world,
      run: spool => importSpool({ spool, root }),
      // The directory of the old files is not synced: they may be back in their places.
      undo: async random => {
        for (const name of names) {
          const moved = join(root, '_imported', writer, name)
          if (existsSync(moved) && random() < 0.5) await rename(moved, join(root, writer, name))
        }
      },
    }
  }
  console.log(`spool import: ${await cutAtEveryStep(prepare, expectEachOnce)} power cuts, each event once`)
})

test('R2: spool verify changes nothing, wherever the power was cut', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const world = await createRefused()
    world.stop('power cut', seededRandom(seed))
    const snapshot = () =>
      world.disk().paths.map(path => [path, Buffer.from(world.disk().contents(path)).toString('hex')])
    const before = snapshot()
    await verifySpool(world.disk(), { isHeld: false })
    expect(snapshot()).toEqual(before)
  }
})
