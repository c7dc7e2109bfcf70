import { describe, expect, test } from 'vitest'
import { isNumberOrTime, toCellText } from '../../../../admin/cli/files/row-text.ts'
import { drawTable } from '../../../../admin/cli/print/table.ts'
import type { Value } from '../../../../src/formats/number.ts'
import { Decimal } from '../../../../src/formats/number.ts'

const row = {
  id: 9007199254740993n,
  at: '2026-11-25T10:20:30.123456789Z',
  text: 'long text '.repeat(20),
  sum: '1234567890.123',
}
type Row = { readonly [Name in keyof typeof row]: Value }
const columns = (['text', 'id', 'at', 'sum'] as const).map(name => ({
  title: name,
  cell: (one: Row) => toCellText(one[name]),
  flexible: true,
  isKept: (one: Row) => isNumberOrTime(one[name]),
}))

describe('a table of rows', () => {
  test.each([40, 80, 100])('in a terminal of %d columns has numbers and times whole, and cuts text first', width => {
    const [, line = ''] = drawTable<Row>([row], columns, { width }).split('\n')
    for (const kept of ['9007199254740993', '2026-11-25T10:20:30.123456789Z', '1234567890.123']) {
      expect(line).toContain(kept)
    }
    expect(line).not.toContain(row.text)
    if (width >= 80) expect(line.length).toBeLessThanOrEqual(width)
  })

  test('cuts no more than it must', () => {
    const [, line = ''] = drawTable<Row>([row], columns, { width: 500 }).split('\n')
    expect(line).toContain(row.text.trimEnd())
  })
})

test.each<[Value, boolean]>([
  [1, true],
  [new Decimal(150n, 2), true],
  ['-1.5e3', true],
  ['2026-11-25', true],
  ['2026-11-25 10:20', true],
  ['2026-11-25T10:20:30.5+02:00', true],
  ['10.0.0.1', true],
  ['12 apples', false],
  ['', false],
  [null, false],
  [true, false],
  [[1, 2], false],
])('%j is a number or a time: %s', (value, want) => {
  expect(isNumberOrTime(value)).toBe(want)
})
