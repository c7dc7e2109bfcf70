import { expect, test } from 'vitest'
import { createHarvest } from '../../soak/harvest.ts'
import { sumOf } from '../../soak/operator.ts'
import { toMark } from '../../suites/marks.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

const file = async function* (text: string) {
  yield Buffer.from(text)
}

test('createHarvest: takes old files, names young ones, and leaves what is not yet there for consumers', async () => {
  const clock = { ms: 0 }
  const fileSystem = createMemoryFileSystem({ now: () => clock.ms })
  const harvest = createHarvest(fileSystem, '/events')
  await harvest.sweep(1)
  expect(harvest.files).toBe(0)
  await fileSystem.create('/events/A/2026/old', file(`${toMark(1)} ${toMark(2)} E7E`))
  await fileSystem.create('/events/_tmp/x/part', file(toMark(9)))
  clock.ms = 1_000_000
  await fileSystem.create('/events/A/2026/young', file(toMark(3)))
  await harvest.sweep(500_000)
  expect([harvest.found, harvest.files, harvest.young]).toEqual([[1, 2], 1, ['/events/A/2026/young']])
  await harvest.sweep(Number.POSITIVE_INFINITY)
  expect([harvest.found, harvest.young, await harvest.leftOver()]).toEqual([[1, 2, 3], [], ['/events/_tmp/x/part']])
})

test('sumOf: adds up one metric over its labels', () => {
  const text = '# HELP a x\na{t="1"} 2\na{t="2 3"} 3\na_total 100\nb 7\n'
  expect(['a', 'a_total', 'b', 'c'].map(name => sumOf(text, name))).toEqual([5, 100, 7, 0])
})
