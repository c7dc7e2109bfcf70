import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonByteScan } from '../../../src/formats/json-byte-scan.ts'
import { jsonElements } from '../../../src/formats/json-elements.ts'

/** In stretches of a number of bytes. */
const scan = (text: string, stretch: number) => {
  const bytes = Buffer.from(text)
  const scan = new JsonByteScan(bytes)
  scan.begin(0)
  let progress = scan.run(stretch)
  while (progress === 'more') progress = scan.run(scan.at + stretch)
  return { progress, at: scan.at, values: scan.values, depth: scan.depth }
}

const countValues = (value: unknown): number =>
  1 +
  (typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 0)
    : 0)

describe('JsonByteScan', () => {
  test('finds the end of any value, and counts what is in it, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('', ' ', 2),
        (value, stretch, indent) => {
          const text = JSON.stringify(value, null, indent)
          const { progress, at, values } = scan(`${text} ,`, stretch)
          expect([progress, at, values]).toEqual(['done', Buffer.byteLength(text), countValues(value)])
        },
      ),
    )
  })
  test('takes no less than JSON.parse, of any text', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '"a"',
      '1',
      '-',
      'true',
      ' ',
      '\n',
      'é',
      '\u0001',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), (pieces, stretch) => {
        const text = pieces.join('')
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        const { progress, at } = scan(text, stretch)
        if (isJson) expect([progress, text.slice(at).trim()]).toEqual(['done', ''])
      }),
      { numRuns: 3_000 },
    )
  })
  test.each([
    ['{"a":1,{', 7],
    ['{"a":"b\n"}', 7],
    ['{"a" 1}', 5],
    ['[1,]', 3],
    ['{"a":1,}', 7],
    ['[1}', 2],
    ['{]', 1],
    ['{"a":"b', 7],
    ['}', 0],
  ])('%j breaks off at %i', (text, at) => {
    for (const stretch of [1, 2, 100]) expect(scan(text, stretch)).toMatchObject({ progress: 'failed', at })
  })
  test('nests as deep as the bytes go', () => {
    const levels = 300_000
    expect(scan(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`, 1 << 16)).toMatchObject({
      progress: 'done',
      depth: 2 * levels,
    })
  })
})

test('jsonElements: values at the root, and elements of arrays there', () => {
  const text = '\ufeff[{"a":[1]}, 2 ,[3]] {"b":2}{"c":3}\n"d" [] 5'
  const bytes = Buffer.from(text)
  expect(Array.from(jsonElements(bytes), ({ start, end }) => bytes.toString('utf8', start, end))).toEqual([
    '{"a":[1]}',
    '2',
    '[3]',
    '{"b":2}',
    '{"c":3}',
    '"d"',
    '5',
  ])
})
