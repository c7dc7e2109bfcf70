import { Buffer } from 'node:buffer'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mergeRuns, writeRunRow } from '../../../src/compaction/merge-runs.ts'
import { ByteSink } from '../../../src/formats/parquet/write/byte-sink.ts'

test.each([
  ['', undefined],
  [' with an id', Buffer.alloc(16, 5)],
])('a row%s that a disk has changed is refused, whichever bit it is', async (_, id) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-runs-'))
  const file = await open(join(directory, 'rows'), 'wx+')
  try {
    const sink = new ByteSink()
    writeRunRow(sink, 7, Buffer.from('row'), id)
    const run = { start: 0, end: sink.length }
    const readAll = async (): Promise<string[]> => {
      const rows: string[] = []
      const next = mergeRuns(file, [run], { memoryBytes: 1, hasIds: id !== undefined })
      for (let row = await next(); row; row = await next())
        rows.push(row.bytes.toString('latin1', row.start, row.start + 3))
      return rows
    }
    await file.write(sink.bytes, 0, sink.length, 0)
    expect(await readAll()).toEqual(['row'])
    for (let bit = 0; bit < sink.length * 8; bit++) {
      const damaged = Buffer.from(sink.view())
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
      await file.write(damaged, 0, damaged.length, 0)
      await expect(readAll(), `bit ${bit}`).rejects.toThrow(RangeError)
    }
  } finally {
    await file.close()
    await rm(directory, { recursive: true })
  }
})
