import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WrittenJson, writeJson, writtenOnce } from '../../../admin/json-text.ts'

const write = (value: unknown): string => [...writeJson(value)].join('')

test('writeJson writes what JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), value => {
      expect(write(value)).toBe(JSON.stringify(value))
    }),
  )
})

test.each([
  { value: undefined, want: 'null' },
  { value: { a: undefined, b: { c: undefined }, d: [undefined, []] }, want: '{"b":{},"d":[null,[]]}' },
  { value: { a: Number.NaN, b: [{}] }, want: '{"a":null,"b":[{}]}' },
  { value: [{ at: new Date(0) }], want: '[{"at":"1970-01-01T00:00:00.000Z"}]' },
  {
    value: new Map<string, unknown>([
      ['__proto__', { a: 1 }],
      ['b', new Map()],
    ]),
    want: '{"__proto__":{"a":1},"b":{}}',
  },
  { value: { a: new WrittenJson(() => ({ b: [1] })) }, want: '{"a":{"b":[1]}}' },
])('writeJson writes $want', ({ value, want }) => {
  expect(write(value)).toBe(want)
})

test('a long list is written in many pieces', () => {
  expect([...writeJson(Array.from({ length: 10_000 }, (_, i) => `name ${i}`))].length).toBeGreaterThan(10_000)
})

test('what is written once is reported once, for each subject', () => {
  let told = 0
  const infoOf = writtenOnce((subject: { readonly name: string }) => {
    told++
    return { name: subject.name }
  })
  const [a, b] = [{ name: 'a' }, { name: 'b' }]
  const texts = [a, b, a, b].map(one => infoOf(one).text)
  expect([texts, told]).toEqual([['{"name":"a"}', '{"name":"b"}', '{"name":"a"}', '{"name":"b"}'], 2])
})
