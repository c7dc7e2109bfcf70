/** Rows with ids, against a list that is sorted: in memory, and in runs of a few rows. */
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { createRowSorter } from '../../../src/compaction/row-sorter.ts'
import { seededRandom } from '../../suites/crash-world.ts'

type Row = { readonly key: number; readonly id: string | undefined; readonly text: string }

const toId = (number: number): string => Buffer.alloc(16, number).toString('base64url')

/** A few keys and ids, so that most rows repeat one. Those without a text stand for rows of other files. */
const toRows = (random: () => number): readonly Row[] =>
  Array.from({ length: 40 }, (_, n) => {
    const id = random() < 0.2 ? undefined : toId(1 + Math.floor(random() * 4))
    return { key: Math.floor(random() * 3) - 1, id, text: random() < 0.2 ? '' : `row ${n + 10}` }
  })

const sortRows = async (rows: readonly Row[], memoryBytes: number) => {
  const sorter = createRowSorter({ directory: tmpdir(), memoryBytes, hasIds: true })
  try {
    for (const { key, id, text } of rows) {
      sorter.sink.append(Buffer.from(text))
      sorter.end(key, id)
      await sorter.makeRoom()
    }
    const next = await sorter.rows()
    const found: string[] = []
    for (let row = await next(); row; row = await next())
      found.push(row.bytes.toString('latin1', row.start, row.start + 6))
    return { found, repeats: sorter.repeats }
  } finally {
    await sorter.close()
  }
}

const idOf = ({ id }: Row): string => (id === undefined ? '' : Buffer.from(id, 'base64url').toString('latin1'))

test.each([1e9, 1, 300])(
  'the first of those with one key and id stays; rows of other files win over later ones, and are not counted (%d bytes)',
  async memoryBytes => {
    for (let seed = 1; seed <= 4; seed++) {
      const rows = toRows(seededRandom(seed))
      const seen = new Set<string>()
      const first = rows.filter(({ key, id }) => {
        const isNew = id === undefined || !seen.has(`${key} ${id}`)
        seen.add(`${key} ${id}`)
        return isNew
      })
      const sorted = first.toSorted((a, b) => a.key - b.key || (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0))
      const kept = sorted.flatMap(({ text }) => (text === '' ? [] : [text]))
      const repeats = rows.filter(({ text }) => text !== '').length - kept.length
      expect(await sortRows(rows, memoryBytes), `seed ${seed}`).toEqual({ found: kept, repeats })
    }
  },
)
