import { expect, test } from 'vitest'
import { fromVerbs } from '../../suites/flat-filesystem.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool } from '../../suites/spool.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'

/** The names of event types in the order in which their files got to their place. */
const committed = async (floodsInOneRequest: boolean): Promise<string[]> => {
  const order: string[] = []
  const fileSystem = createMemoryFileSystem()
  const { spool, beat, clock } = await openTestSpool({
    disk: createTearingDisk(),
    fileSystem: fromVerbs<typeof fileSystem>({
      ...fileSystem,
      rename: async (from, to, options) => {
        order.push(to.split('/')[2] ?? '')
        await fileSystem.rename(from, to, options)
      },
    }),
  })
  const names = Array.from({ length: 300 }, (_, n) => `Flood${n}`)
  const requests = floodsInOneRequest ? [names] : names.map(name => [name])
  for (const some of requests) {
    const { events } = jsonBatch(some.map(n => ({ n })))
    const body = Buffer.from(JSON.stringify(some.map(eventName => ({ eventName, payload: {} }))))
    const heads = events.map((head, i) => ({ ...head, name: some[i] ?? '' }))
    await spool.append({ ...jsonBatch([]), body, events: heads, caller: 'flood' })
  }
  await spool.append({ ...jsonBatch([{ n: 1 }], { name: 'Honest' }), caller: 'honest' })
  await spool.append({ ...jsonBatch([{ n: 2 }], { name: 'Other' }), caller: 'other' })
  clock.ms += 60_000
  await beat()
  await spool.close()
  return order
}

test.each([true, false])(
  'a flood of types of one caller holds up no event of others (in one request: %s)',
  async inOne => {
    const order = await committed(inOne)
    expect(order).toHaveLength(302)
    expect(order.indexOf('Honest')).toBeLessThan(10)
    expect(order.indexOf('Other')).toBeLessThan(10)
  },
)
