import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createJsonRowEncoder } from '../../../../src/rows/encoders/json.ts'
import type { Rows } from '../../../../src/rows/row.ts'
import { TextRows } from '../../../../src/rows/text/text-rows.ts'

/** Throws for invalid UTF-8. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const toText = (pieces: Iterable<string | Uint8Array>): string =>
  decoder.decode(Buffer.concat(Array.from(pieces, piece => Buffer.from(piece))))

const encode = (rows: Rows, { pretty = false, areFirst = true } = {}): string =>
  toText(createJsonRowEncoder({ pretty }).encode(rows, areFirst))

/** Lines within bytes, with `gap` bytes between them that belong to no line, and none or some after the last one. */
const toRows = (lines: readonly Uint8Array[], gap: Uint8Array, isAtEnd: boolean): TextRows => {
  const bounds: number[] = []
  const parts: Uint8Array[] = []
  let at = 0
  for (const [index, line] of lines.entries()) {
    bounds.push(at, at + line.length)
    parts.push(line)
    at += line.length
    if (isAtEnd && index === lines.length - 1) break
    parts.push(gap)
    at += gap.length
  }
  return new TextRows(Buffer.concat(parts), bounds)
}

const character = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }),
  fc.constantFrom(0x09, 0x22, 0x5c, 0x0a, 0x0d, 0x00, 0x1f, 0x7f, 0x21, 0x23, 0x5b, 0x5d),
  fc.integer({ min: 0, max: 0xff }),
)
const line = fc.oneof(
  fc.array(character, { maxLength: 40 }).map(bytes => Uint8Array.from(bytes)),
  fc.string({ unit: 'binary', maxLength: 20 }).map(text => Buffer.from(text)),
)

describe('rows of text as JSON', () => {
  test('are what their values are, whatever bytes they have', () => {
    const options = { pretty: fc.boolean(), areFirst: fc.boolean() }
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 10 }),
        fc.uint8Array({ maxLength: 4 }),
        fc.boolean(),
        fc.record(options),
        (lines, gap, isAtEnd, given) => {
          const rows = toRows(lines, gap, isAtEnd)
          expect(encode(rows, given)).toBe(encode([...rows], given))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test.each([
    { given: 'a\tb\t\tc', want: '{"col-0":"a","col-1":"b","col-2":"","col-3":"c"}' },
    { given: '\t', want: '{"col-0":"","col-1":""}' },
    { given: '', want: '{"col-0":""}' },
    { given: '\u007f\b\f\n\r\u0001"\\/', want: '{"col-0":"\u007f\\b\\f\\n\\r\\u0001\\"\\\\/"}' },
    { given: 'é 世界\t🌊\u2028', want: '{"col-0":"é 世界","col-1":"🌊\u2028"}' },
    { given: '\ufeffa', want: '{"col-0":"\ufeffa"}' },
  ])('$given', ({ given, want }) => {
    expect(encode(toRows([Buffer.from(given)], Buffer.from('\n'), false))).toBe(want)
    expect(encode(toRows([Buffer.from(given)], Buffer.from('\n'), true))).toBe(want)
  })

  test('a line that is not UTF-8, a very long one, and one of very many values, between others', () => {
    const odd = [
      Buffer.from('\u00e9a\tb', 'latin1'),
      // Ends within a character, which the bytes of the next line would complete.
      Buffer.from([0x61, 0xe4, 0xb8]),
      Buffer.from('x\t'.repeat(20_000)),
      Buffer.from('"'.repeat(16_384)),
      Buffer.from('\u0001'.repeat(60_000)),
      Buffer.from('é'.repeat(8_193)),
      Buffer.from('a\t'.repeat(255)),
      Buffer.from('a\t'.repeat(256)),
    ]
    const plain = Buffer.from('one\ttwo')
    const lines = [...odd, ...odd.flatMap(bytes => [plain, bytes]), plain]
    for (const pretty of [false, true]) {
      const rows = toRows(lines, Buffer.from([0x96]), true)
      expect(encode(rows, { pretty })).toBe(encode([...rows], { pretty }))
    }
  })

  test('each line is UTF-8 or not by itself', () => {
    const rows = toRows([Buffer.from([0x61, 0xe4, 0xb8]), Buffer.from('bcdef')], Buffer.from([0x96]), true)
    expect(rows.bytes.toString()).toBe('a世bcdef')
    expect(encode(rows)).toBe('{"col-0":"a\ufffd"},{"col-0":"bcdef"}')
  })

  test('more than one piece of them, by two encoders in turn', () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => Buffer.from(`${i}\t"${'x'.repeat(i % 100)}"\té`))
    const rows = toRows(lines, Buffer.from('\n'), false)
    const other = toRows(lines.toReversed(), Buffer.from('\n'), false)
    const made: [Buffer[], Buffer[]] = [[], []]
    const others = createJsonRowEncoder().encode(other, false)
    for (const piece of createJsonRowEncoder().encode(rows, true)) {
      made[0].push(Buffer.from(piece))
      const { value } = others.next()
      if (value !== undefined) made[1].push(Buffer.from(value))
    }
    for (const piece of others) made[1].push(Buffer.from(piece))
    expect(made[0].length).toBeGreaterThan(2)
    expect(toText(made[0])).toBe(encode([...rows]))
    expect(toText(made[1])).toBe(encode([...other], { areFirst: false }))
  })

  test('some of them', () => {
    const rows = toRows(
      ['a', 'b\tc', 'd'].map(text => Buffer.from(text)),
      Buffer.from('\n'),
      false,
    )
    expect(rows.slice(1).length).toBe(2)
    expect(encode(rows.slice(1, 2))).toBe('{"col-0":"b","col-1":"c"}')
    expect(Array.from(rows.slice(2))).toEqual([{ names: ['col-0'], values: ['d'] }])
    expect(encode(rows.slice(3))).toBe('')
  })
})
