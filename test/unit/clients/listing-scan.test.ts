import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createListingScan } from '../../../clients/gateway/listing-scan.ts'

const row = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
const entry = fc.record({ path: fc.string(), size: fc.nat(), content: fc.array(row, { maxLength: 5 }) })

describe('createListingScan', () => {
  test('gives rows and entries, however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.constantFrom(0, 2),
        (entries, cuts, indent) => {
          const text = JSON.stringify({ path: '/"{[', parentPath: '', entries }, null, indent)
          const scan = createListingScan()
          const at = [0, ...cuts.map(cut => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
          const parts = at.slice(1).flatMap((end, index) => scan.push(text.slice(at[index], end)))
          const read = parts.map(part => ({ kind: part.kind, value: JSON.parse(part.text) as unknown }))
          const want = entries.flatMap(one => [
            ...one.content.map(value => ({ kind: 'row', value: value as unknown })),
            { kind: 'entry', value: { ...one, content: [] } as unknown },
          ])
          expect(read).toEqual(JSON.parse(JSON.stringify(want)))
          expect(scan.isWhole()).toBe(true)
        },
      ),
    )
  })

  test('tells a listing that was cut off', () => {
    const scan = createListingScan()
    scan.push('{"path":"/","entries":[{"content":[{"a":"]}]}')
    expect(scan.isWhole()).toBe(false)
  })
})
