/** The memory in which rows with ids are sorted, and repeats dropped: twice what it is given, 64 MiB in a compaction, however many they are. */
import { tmpdir } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createRowSorter } from '../../../src/compaction/row-sorter.ts'
import { seededRandom } from '../../suites/crash-world.ts'

/** With 5 000 000 it is as with 100 million in the 64 MiB of a compaction, of which a twentieth is given: as many runs. */
const given = Number(process.env['SLUICE_TEST_SORTED_IDS'] ?? 0)
const sortBytes = 64 * 1024 * 1024
const usPerHour = 3_600_000_000
const samples = 6

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** Of buffers that are in use. */
const bufferBytes = (): number => {
  // What the first one finds is let go by the second.
  collect()
  collect()
  return process.memoryUsage().arrayBuffers
}

/** Each event comes twice: of the second half of the rows each repeats one of the first. @returns the most bytes of buffers, and what came out */
const sort = async (count: number, memoryBytes: number) => {
  const before = bufferBytes()
  let peak = 0
  const look = (row: number): void => {
    if (row % Math.ceil(count / samples) === 0) peak = Math.max(peak, bufferBytes() - before)
  }
  const sorter = createRowSorter({ directory: tmpdir(), memoryBytes, hasIds: true })
  const id = Buffer.alloc(16, 1)
  try {
    for (let row = 0; row < count; row++) {
      look(row)
      const event = row % (count / 2)
      const random = seededRandom(event)
      id.writeDoubleLE(random(), 0)
      id.writeUInt32LE(event, 8)
      sorter.sink.append(id)
      sorter.sink.uint32(event)
      sorter.end(Math.floor(random() * usPerHour), id.toString('base64url'))
      await sorter.makeRoom()
    }
    const next = await sorter.rows()
    let kept = 0
    for (let row = await next(); row; row = await next()) look(kept++)
    return { peak, kept, repeats: sorter.repeats }
  } finally {
    await sorter.close()
  }
}

const cases: readonly (readonly [number, number])[] =
  given > 0
    ? [[given, (sortBytes * given) / 100e6]]
    : [
        [40_000, 1024 * 1024],
        [160_000, 1024 * 1024],
      ]

test.each(cases)(
  '%d rows with ids are sorted in twice the memory for those that are held, %d bytes',
  {
    timeout: 600_000,
  },
  async (count, memoryBytes) => {
    const { peak, ...found } = await sort(count, memoryBytes)
    if (given > 0) console.log(`${count} rows: ${peak} bytes of buffers`)
    expect(found).toEqual({ kept: count / 2, repeats: count / 2 })
    // It does work with them.
    expect(peak).toBeGreaterThan(memoryBytes / 4)
    expect(peak).toBeLessThan(memoryBytes * 2)
  },
)
