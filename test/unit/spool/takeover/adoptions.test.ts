import { expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { adoptionsAtOnce, createAdoptions } from '../../../../src/spool/takeover/adoptions.ts'
import { type Owner, parseOwner } from '../../../../src/spool/takeover/owners.ts'
import { createMemoryHdfs } from '../../../suites/memory-hdfs.ts'
import { silent } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const taker = 'f'.repeat(32)

/** Logs of which nothing is left, in the order of these letters; what becomes of a look at each. */
const adoptionsOf = async (looks: Readonly<Record<string, () => Promise<void>>>) => {
  const hdfs = createMemoryHdfs()
  const asked: string[] = []
  const adoptions = createAdoptions({
    fileSystem: {
      ...hdfs,
      listStatus: async function* (path) {
        const [, letter = ''] = /\/_log\/(.)/.exec(path) ?? []
        if (letter !== '') asked.push(letter)
        await looks[letter]?.()
        yield* hdfs.listStatus(path)
      },
    },
    outputDirectory: '/events',
    taker,
    disk: { directory: 'memory', list: async () => [], removeDirectory: async () => {} },
    diskOf: () => createTearingDisk(),
    takeKeys: async () => {},
    open: () => Promise.reject(new Error('there is nothing to open')),
    pause: async () => {},
    log: silent,
  })
  for (const owner of Object.keys(looks).map(ownerOf)) {
    await hdfs.memory.mkdirs(`/events/_log/${owner.name}`)
    adoptions.add(owner)
  }
  return { adoptions, asked }
}

const ownerOf = (letter: string): Owner => parseOwner(`${letter.repeat(32)}.${taker}`) ?? expect.unreachable()

const hangs = (): Promise<void> => new Promise(() => {})
const works = async (): Promise<void> => {}
const fails = async (): Promise<void> => {
  throw new FileSystemError('unavailable', '/events', 'away')
}

test('logs are gone on with beside each other: one that hangs, or fails, holds up no other one', async () => {
  const { adoptions, asked } = await adoptionsOf({
    a: hangs,
    b: hangs,
    c: fails,
    d: hangs,
    e: works,
    1: works,
    2: works,
  })
  adoptions.run()
  await expect.poll(() => adoptions.status().takenOver).toBe(3)
  const left = adoptions.status().takingOver.map(({ id, problem }) => [id.slice(0, 1), problem])
  expect(left).toContainEqual(['c', expect.stringContaining('away')])
  // Once in each round.
  const tries = (): number => asked.filter(letter => letter === 'c').length
  expect(tries()).toBe(1)
  adoptions.run()
  await expect.poll(tries).toBe(2)
})

test('so many at a time, for each has threads of its own', async () => {
  const { adoptions, asked } = await adoptionsOf({ a: hangs, b: hangs, c: hangs, d: hangs, e: hangs, f: hangs })
  adoptions.run()
  adoptions.run()
  await expect.poll(() => asked).toHaveLength(adoptionsAtOnce)
  expect(adoptions.status().takingOver).toHaveLength(6)
})
