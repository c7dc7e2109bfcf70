import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Float64, type Value } from '../../../../src/formats/number.ts'
import { createCsvEncoder } from '../../../../src/rows/encoders/csv.ts'
import { toRow } from '../../../../src/rows/row.ts'

/** Reads RFC 4180 by its grammar, for the round trip. */
const parseCsv = (text: string): string[][] => {
  const lines: string[][] = []
  let at = 0
  while (at < text.length) {
    const line: string[] = []
    for (;;) {
      if (text[at] === '"') {
        const quoted = /"((?:[^"]|"")*)"/y
        quoted.lastIndex = at
        const [whole = '', inner = ''] = quoted.exec(text) ?? []
        line.push(inner.replaceAll('""', '"'))
        at += whole.length
      } else {
        const plain = /[^,\r\n"]*/y
        plain.lastIndex = at
        const [whole = ''] = plain.exec(text) ?? []
        line.push(whole)
        at += whole.length
      }
      if (text[at] !== ',') break
      at++
    }
    expect(text.slice(at, at + 2)).toBe('\r\n')
    at += 2
    lines.push(line)
  }
  return lines
}

describe('createCsvEncoder', () => {
  test.each<{ given: readonly Value[]; want: string }>([
    { given: ['a', 'b'], want: 'a,b' },
    { given: ['a,b', 'say "hi"', 'two\nlines', 'cr\rx'], want: '"a,b","say ""hi""","two\nlines","cr\rx"' },
    { given: [' spaces ', 'tab\t'], want: ' spaces ,tab\t' },
    { given: ['', ''], want: ',' },
    { given: [''], want: '""' },
    { given: [null], want: '""' },
    { given: [], want: '' },
    { given: [null, true, 1.5, 9223372036854775807n, new Float64(3)], want: ',true,1.5,9223372036854775807,3.0' },
    { given: [[1, 'x'], { a: 'b' }], want: '"[1,""x""]","{""a"":""b""}"' },
    { given: [new Uint8Array([104, 105])], want: 'aGk=' },
  ])('writes $want', ({ given, want }) => {
    const names = given.map((_, index) => `c${index}`)
    expect(createCsvEncoder().encode([{ names, values: given }])).toBe(`${want}\r\n`)
  })

  test('puts values under their columns, and the rest into _more', () => {
    const encoder = createCsvEncoder({ names: ['a', 'b'], hasMore: true })
    expect(encoder.header()).toBe('a,b,_more\r\n')
    expect(encoder.encode([toRow({ b: 2, a: 1 }), toRow({ c: 'x', a: 3 }), toRow({})])).toBe(
      '1,2,\r\n3,,"{""c"":""x""}"\r\n,,\r\n',
    )
  })

  test('without _more, unknown names are left out of the table', () => {
    const encoder = createCsvEncoder({ names: ['a'], hasMore: false })
    expect(encoder.header() + encoder.encode([toRow({ a: 1, z: 2 })])).toBe('a\r\n1\r\n')
  })

  test('whatever text the fields have, a reader of RFC 4180 gets it back', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', 'é') })
    fc.assert(
      fc.property(fc.array(fc.array(field, { minLength: 1 })), lines => {
        const rows = lines.map(values => ({ names: values.map((_, index) => String(index)), values }))
        expect(parseCsv(createCsvEncoder().encode(rows))).toEqual(lines)
      }),
    )
  })
})
