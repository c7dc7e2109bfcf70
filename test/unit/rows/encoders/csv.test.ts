import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Float64, type Value } from '../../../../src/formats/number.ts'
import { type CsvColumns, createCsvEncoder } from '../../../../src/rows/encoders/csv.ts'
import { pieceChars } from '../../../../src/rows/encoders/pieces.ts'
import { type Row, toRow } from '../../../../src/rows/row.ts'
import { TextRows } from '../../../../src/rows/text/text-rows.ts'

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

/** All lines as one text. */
const toCsv = (rows: readonly Row[], columns?: CsvColumns): string =>
  [...createCsvEncoder(columns).encode(rows)].join('')

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
    expect(toCsv([{ names, values: given }])).toBe(`${want}\r\n`)
  })

  test('puts values under their columns, and the rest into _more', () => {
    const encoder = createCsvEncoder({ names: ['a', 'b'], hasMore: true })
    expect(encoder.header()).toBe('a,b,_more\r\n')
    expect([...encoder.encode([toRow({ b: 2, a: 1 }), toRow({ c: 'x', a: 3 }), toRow({})])].join('')).toBe(
      '1,2,\r\n3,,"{""c"":""x""}"\r\n,,\r\n',
    )
  })

  test.each(['=1+1', '+cmd', '-cmd', '@SUM(A1)', '\tx', '-1e5x', '- 1'])('safe guards %j, and nothing else', text => {
    const encoder = createCsvEncoder({ names: ['=a', 'b'], hasMore: false }, { safe: true })
    expect(encoder.header()).toBe("'=a,b\r\n")
    const row = toRow({ '=a': text, b: -5 })
    expect([...encoder.encode([row])].join('')).toBe(`'${text},-5\r\n`)
    for (const plain of ['-5', '+1.50', '-1E-7', 'a=1', '', "'=1"]) {
      expect([...encoder.encode([toRow({ '=a': plain, b: null })])].join('')).toBe(`${plain},\r\n`)
    }
  })

  test('without _more, unknown names are left out of the table', () => {
    const encoder = createCsvEncoder({ names: ['a'], hasMore: false })
    expect(encoder.header() + [...encoder.encode([toRow({ a: 1, z: 2 })])].join('')).toBe('a\r\n1\r\n')
  })

  test('whatever text the fields have, a reader of RFC 4180 gets it back', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', 'é') })
    fc.assert(
      fc.property(fc.array(fc.array(field, { minLength: 1 })), lines => {
        const rows = lines.map(values => ({ names: values.map((_, index) => String(index)), values }))
        expect(parseCsv(toCsv(rows))).toEqual(lines)
      }),
    )
  })

  test('long fields, and many, come in pieces of the same text', () => {
    const list = Array.from({ length: 10_000 }, (_, i) => `"${i}"`)
    const text = 'say "hi", 😀\n'.repeat(10_000)
    const plain = 'x'.repeat(100_000)
    const rows = [toRow({ a: list, b: text, c: plain, d: new Uint8Array(100_000) }), { names: list, values: list }]
    const pieces = [...createCsvEncoder().encode(rows)]
    const [fields, many] = parseCsv(pieces.join(''))
    expect(fields).toEqual([JSON.stringify(list), text, plain, Buffer.alloc(100_000).toString('base64')])
    expect(many).toEqual(list)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(3 * pieceChars)
  })
})

test('lines of text are what their values are', () => {
  const line = fc.string({ unit: fc.constantFrom('a', '\t', '"', ',', '\r', '\n', 'é'), maxLength: 8 })
  fc.assert(
    fc.property(fc.array(line), lines => {
      const bounds: number[] = []
      let end = 0
      for (const text of lines) {
        bounds.push(end, end + Buffer.byteLength(text))
        end += Buffer.byteLength(text)
      }
      const rows = new TextRows(Buffer.from(lines.join('')), bounds)
      expect([...createCsvEncoder().encode(rows)].join('')).toBe([...createCsvEncoder().encode([...rows])].join(''))
    }),
    { numRuns: 1_000 },
  )
})
