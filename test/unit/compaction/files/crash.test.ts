/** Cut short at each call, or with its answer lost: afterwards each row is there once. */
import { expect, test } from 'vitest'
import { type Around, away, createSharedMemory, type SharedMemory } from './process-view.ts'
import { compact, listFiles, namesIn, readVisible, write, written } from './world.ts'

/** What goes wrong with one call; `kill` ends the process there. */
const fates = ['kill before', 'kill after', 'kill within', 'kill halfway', 'refused', 'lost'] as const
type Fate = (typeof fates)[number]

/** @param at number of the call, from 1 */
const createFate = (fate: Fate, at: number) => {
  let calls = 0
  let isDead = false
  const around: Around = async (operation, path, call) => {
    if (isDead) throw away(path)
    if (++calls !== at) return await call()
    isDead = fate.startsWith('kill')
    if (fate === 'kill before' || fate === 'refused') throw away(path)
    // A local disk renames in two steps where nothing may be replaced.
    if (fate === 'kill within' && operation !== 'open' && operation !== 'replace') return await call('torn')
    // With hard links or without, files or directories.
    if (fate === 'kill halfway') return await call('halved')
    await call()
    throw away(path)
  }
  return {
    around,
    get isOver() {
      return calls < at
    },
  }
}

const directory = '/events/Order/2026/11/22/08'

const openWorld = async (): Promise<SharedMemory> => {
  const shared = createSharedMemory(() => written)
  for (const name of ['a', 'b']) await write(shared.memory, `${directory}/${name}.jsonl`, `{"${name}":1}\n`)
  await write(shared.memory, `${directory}/damaged.jsonl`, Uint8Array.of(0x7b, 0xff, 0x0a))
  return shared
}

/** @returns whether the fate came to pass */
const live = async (fate: Fate, at: number, isDeleted: boolean): Promise<boolean> => {
  const { memory, view } = await openWorld()
  const before = await readVisible(memory, '/events')
  const others = isDeleted ? { toTrash: async () => undefined } : {}
  const process = createFate(fate, at)
  const first = await compact(view(process.around), others).catch((error: unknown) => error)
  // A later run, of anybody; another one finds nothing to do.
  const second = await compact(memory, others)
  const third = await compact(memory, others)
  const where = `${fate} ${at}`
  expect(await readVisible(memory, '/events'), where).toEqual(before)
  expect(
    (await listFiles(memory, '/events')).filter(path => path.includes('/_')),
    where,
  ).toEqual([])
  const names = await namesIn(memory, directory)
  expect(
    names.filter(name => name !== 'damaged.jsonl'),
    `${where} ${String(first)}`,
  ).toHaveLength(1)
  expect([third.done, third.finished, third.undone, third.living], where).toEqual([[], [], [], []])
  expect(second.living, where).toEqual([])
  const trash = isDeleted ? [] : await namesIn(memory, '/user')
  if (!isDeleted) expect(trash.sort(), where).toEqual(['a.jsonl', 'b.jsonl'])
  return !process.isOver
}

test.each(fates.flatMap(fate => [true, false].map(isDeleted => [fate, isDeleted] as const)))(
  'each row once, whichever call it is: %s (sources deleted: %s)',
  async (fate, isDeleted) => {
    let calls = 0
    while (await live(fate, calls + 1, isDeleted)) calls++
    expect(calls).toBeGreaterThan(60)
  },
)

test('a run that is killed while it finishes for another one leaves what a third one finishes', async () => {
  for (let at = 1, isOver = false; !isOver; at += 7) {
    for (let second = 1, isSecondOver = false; !isSecondOver; second += 11) {
      const { memory, view } = await openWorld()
      const before = await readVisible(memory, '/events')
      const [one, two] = [createFate('kill after', at), createFate('kill after', second)]
      for (const { around } of [one, two]) await compact(view(around)).catch(() => {})
      await compact(memory)
      expect(await readVisible(memory, '/events'), `${at} ${second}`).toEqual(before)
      expect((await listFiles(memory, '/events')).filter(path => path.includes('/_'))).toEqual([])
      isOver = one.isOver
      isSecondOver = two.isOver
    }
  }
})
