import { expect, test } from 'vitest'
import {
  createDestinationKeeper,
  type Destination,
  readDestination,
} from '../../../../src/spool/directory/destination.ts'
import { UnknownFormat } from '../../../../src/spool/framing/format-header.ts'
import { createWorld, seededRandom } from '../../../suites/crash-world.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const place: Destination = {
  fileSystem: 'hdfs://nn:8020',
  isMounted: false,
  outputDirectory: '/events',
  outputLayout: 'dated',
  outputFormat: 'jsonl',
  outputCodec: 'none',
  outputEnvelope: true,
}

test('a spool remembers where its events go, through a kill and a power cut', async () => {
  for (const how of ['kill', 'power cut'] as const) {
    const world = await createWorld({ settings: { outputFormat: 'native', outputLayout: 'hive' } })
    world.stop(how, seededRandom(1))
    expect(await readDestination(world.disk())).toEqual({
      ...place,
      fileSystem: 'memory:///',
      outputFormat: 'native',
      outputLayout: 'hive',
    })
  }
})

test('stopped at any step of the disk, it remembers the one place or the other', async () => {
  const other = { ...place, outputDirectory: '/elsewhere' }
  for (let at = 1, done = false; !done; at++) {
    let steps = Number.NEGATIVE_INFINITY
    let isDead = false
    const fail = (): Error | undefined => {
      isDead ||= ++steps === at
      return isDead ? new Error('the end') : undefined
    }
    const disk = createTearingDisk({ fail })
    await createDestinationKeeper(disk, () => place)()
    steps = 0
    await createDestinationKeeper(disk, () => other)().catch(() => {})
    done = !isDead
    for (const left of [disk.kill(), disk.powerCut(seededRandom(at))])
      expect([place, other]).toContainEqual(await readDestination(left))
  }
})

test('what settings change is remembered, and only then written', async () => {
  let writes = 0
  const disk = createTearingDisk({ fail: operation => void (operation === 'append' && writes++) })
  let now = place
  const keep = createDestinationKeeper(disk, () => now)
  expect(await keep()).toBeUndefined()
  expect(await keep()).toBeUndefined()
  expect(writes).toBe(1)
  now = { ...place, outputFormat: 'parquet' }
  // The same place, in another form.
  expect(await keep()).toBeUndefined()
  expect(await readDestination(disk)).toEqual(now)
  now = { ...now, outputDirectory: '/elsewhere' }
  expect(await keep()).toEqual({ ...place, outputFormat: 'parquet' })
  expect(writes).toBe(3)
})

test('what cannot be read is remembered no longer; what a later version wrote is refused', async () => {
  const disk = createTearingDisk()
  expect(await readDestination(disk)).toBeUndefined()
  await createDestinationKeeper(disk, () => place)()
  const bytes = disk.contents('destination')
  for (let at = 0; at < bytes.length; at++) {
    disk.overwrite('destination', bytes.with(at, (bytes[at] ?? 0) ^ 1))
    expect(await readDestination(disk)).toBeUndefined()
  }
  const later = createTearingDisk()
  await later.create('destination')
  const { toFrame } = await import('../../../../src/spool/framing/framing.ts')
  later.overwrite('destination', toFrame(0, Buffer.from('{"format":"destination","version":99}')))
  await expect(readDestination(later)).rejects.toThrow(UnknownFormat)
})
