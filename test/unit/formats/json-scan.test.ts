import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanJson } from '../../../src/formats/json-scan.ts'

const scan = (text: string, start = 0, maxDepth = 100) => scanJson(text, start, maxDepth, { characters: 0 })

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The scan takes leading whitespace and leaves what follows: the text as a whole is JSON when nothing but space is left. */
const isJson = (text: string): boolean => {
  const found = scan(text)
  return found.ok && /^[ \t\n\r]*$/.test(text.slice(found.end))
}

describe('scanJson', () => {
  test.each([
    { text: '{"a":[1,{}]} x', end: 12, depth: 3, values: 4 },
    { text: ' "a\\"}" ', end: 7, depth: 0, values: 1 },
    { text: '-1.5e+3,', end: 7, depth: 0, values: 1 },
    { text: 'nullx', end: 4, depth: 0, values: 1 },
    { text: '[ ]]', end: 3, depth: 1, values: 1 },
  ])('ends $text at $end', ({ text, end, depth, values }) => {
    expect(scan(text)).toEqual({ ok: true, end, depth, values })
  })

  test.each([
    { text: '', end: 0, expected: 'a value', open: [] },
    { text: '{', end: 1, expected: 'a name or "}"', open: [0] },
    { text: '{"a"}', end: 4, expected: '":"', open: [0] },
    { text: '{"a":}', end: 5, expected: 'a value', open: [0] },
    { text: '{"a":1 "b"', end: 7, expected: '"," or "}"', open: [0] },
    { text: '{"a":1,}', end: 7, expected: 'a name', open: [0] },
    { text: '[1,]', end: 3, expected: 'a value', open: [] },
    { text: '[{"a":[{', end: 8, expected: 'a name or "}"', open: [1, 7] },
    { text: '[}', end: 1, expected: 'a value or "]"', open: [] },
    { text: '[1}', end: 2, expected: '"," or "]"', open: [] },
    { text: '{"a\n":1}', end: 3, expected: 'the rest of a string', open: [0] },
    { text: '["\\u12g4"]', end: 2, expected: 'the rest of a string', open: [] },
    { text: '[tru]', end: 1, expected: 'a value or "]"', open: [] },
    { text: '[01]', end: 2, expected: '"," or "]"', open: [] },
  ])('stops $text at $end', ({ text, end, expected, open }) => {
    expect(scan(text)).toEqual({ ok: false, end, expected, isSyntax: true, open })
  })

  test('stops at its depth, and counts what it looks at', () => {
    const work = { characters: 0 }
    expect(scanJson('[[[]]]', 0, 3, work)).toEqual({ ok: true, end: 6, depth: 3, values: 3 })
    expect(scanJson('[[[]]]', 0, 2, work)).toMatchObject({
      ok: false,
      end: 2,
      expected: 'at most 2 levels',
      isSyntax: false,
    })
    expect(work.characters).toBe(9)
  })

  test('takes exactly what JSON.parse takes', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'null',
      ' ',
      '\n',
      '\\',
      '\\n',
      '\\u00',
      'x',
      '\v',
      '\u{feff}',
      '\u2028',
    )
    const soup = fc.array(token, { maxLength: 12 }).map(tokens => tokens.join(''))
    const damaged = fc
      .tuple(fc.json(), fc.nat(60), token)
      .map(([json, at, put]) => json.slice(0, at) + put + json.slice(at + 1))
    fc.assert(
      fc.property(fc.oneof(soup, damaged, fc.json()), text => isJson(text) === parses(text)),
      { numRuns: 5000 },
    )
  })
})
