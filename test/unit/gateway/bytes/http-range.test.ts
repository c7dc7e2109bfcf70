import { describe, expect, test } from 'vitest'
import { isRangeWanted, judgeConditions, toValidators } from '../../../../src/gateway/bytes/conditional.ts'
import { parseByteRange } from '../../../../src/gateway/bytes/http-range.ts'

describe('parseByteRange', () => {
  test.each([
    { given: 'bytes=0-3', want: { offset: 0, length: 4 } },
    { given: 'bytes=2-', want: { offset: 2, length: 8 } },
    { given: 'bytes=-3', want: { offset: 7, length: 3 } },
    { given: 'bytes=-99', want: { offset: 0, length: 10 } },
    { given: 'bytes=9-99', want: { offset: 9, length: 1 } },
    { given: 'Bytes= 0 - 0 ', want: { offset: 0, length: 1 } },
    { given: 'bytes=10-', want: 'unsatisfiable' },
    { given: 'bytes=-0', want: 'unsatisfiable' },
    { given: 'bytes=5-2', want: undefined },
    { given: 'bytes=-', want: undefined },
    { given: 'bytes=0-1,3-4', want: undefined },
    { given: 'lines=0-1', want: undefined },
    { given: 'bytes=a-b', want: undefined },
    { given: undefined, want: undefined },
  ])('reads $given of 10 bytes', ({ given, want }) => expect(parseByteRange(given, 10)).toEqual(want))

  test('an empty file satisfies no range', () => expect(parseByteRange('bytes=0-0', 0)).toBe('unsatisfiable'))
})

test('an entity tag is that of the version of a file where it has one, else of its time', () => {
  const file = { modificationTime: 5, length: 7 }
  const etags = [file, { ...file, version: 'a' }, { ...file, version: 'b' }].map(one => toValidators(one).etag)
  expect(etags).toEqual(['"5-7"', '"a-7"', '"b-7"'])
})

describe('conditions', () => {
  const validators = toValidators({ modificationTime: Date.parse('2011-05-03T21:56:46.500Z'), length: 7 })
  const { etag } = validators
  const [same, before, after] = [
    'Tue, 03 May 2011 21:56:46 GMT',
    'Tue, 03 May 2011 21:56:45 GMT',
    'Tue, 03 May 2011 21:56:47 GMT',
  ]
  test.each([
    { given: {}, want: 'go-on' },
    { given: { 'If-None-Match': etag }, want: 'unchanged' },
    { given: { 'If-None-Match': `"x", W/${etag}` }, want: 'unchanged' },
    { given: { 'If-None-Match': '*' }, want: 'unchanged' },
    { given: { 'If-None-Match': '"x"', 'If-Modified-Since': after }, want: 'go-on' },
    { given: { 'If-Modified-Since': same }, want: 'unchanged' },
    { given: { 'If-Modified-Since': before }, want: 'go-on' },
    { given: { 'If-Modified-Since': 'yesterday' }, want: 'go-on' },
    { given: { 'If-Match': etag }, want: 'go-on' },
    { given: { 'If-Match': `W/${etag}` }, want: 'failed' },
    { given: { 'If-Match': '"x"', 'If-None-Match': etag }, want: 'failed' },
    { given: { 'If-Unmodified-Since': before }, want: 'failed' },
    { given: { 'If-Unmodified-Since': same }, want: 'go-on' },
    { given: { 'If-Match': etag, 'If-Unmodified-Since': before }, want: 'go-on' },
  ] as const)('$given: $want', ({ given, want }) => expect(judgeConditions(given, validators)).toBe(want))

  test.each([
    { given: undefined, want: true },
    { given: etag, want: true },
    { given: `W/${etag}`, want: false },
    { given: '"x"', want: false },
    // Another file of the same second has the same date.
    { given: same, want: false },
    { given: after, want: false },
  ])('If-Range $given: $want', ({ given, want }) => expect(isRangeWanted(given, validators)).toBe(want))
})
