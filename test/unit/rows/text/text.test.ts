import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOpenRows } from '../../../../src/rows/create-open-rows.ts'
import { collect, openBytes, readJson, toJson } from '../files.ts'

const toRow = (line: string): string =>
  `{${line
    .split('\t')
    .map((value, i) => `"col-${i}":${JSON.stringify(value)}`)
    .join(',')}}`

/** What lines are, by their definition. */
const toLines = (text: string): string[] => {
  const lines = text.split(/\r\n|\n|\r/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

test('lines end with any of the three ends, and are split at TABs', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\r\n', '\t', 'é', '"'), maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(text, async given => {
      expect(await readJson('x.txt', Buffer.from(given))).toEqual(toLines(given).map(toRow))
      const raw = toLines(given).map(line => `{"record":${JSON.stringify(line)}}`)
      expect(await readJson('x.txt', Buffer.from(given), { raw: true })).toEqual(raw)
    }),
    { numRuns: 300 },
  )
})

test.each(['a\tb\tc\td', '\t\t\t'])('a line of more values than a row may have ends the rows: %j', async wide => {
  const open = createOpenRows({ limits: { of: 'row', values: { max: 3 }, bytes: { max: 1_000 } } })
  const lines = ['a\tb\tc', 'a\tb\t', '\t\t', 'a']
  const bytes = Buffer.from([...lines, wide, 'e'].join('\n'))
  const { rows, error } = await collect(await openBytes('x.txt', bytes, { open }))
  expect(rows.map(toJson)).toEqual(lines.map(toRow))
  expect(error?.message).toBe('text: expected at most 3 columns, found more in a line at byte 0')
})
