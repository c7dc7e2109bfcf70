import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LimitError } from '../../../../src/errors.ts'
import { createSearch } from '../../../../src/rows/where/contains.ts'
import { filterRows } from '../../../../src/rows/where/filter-rows.ts'
import { Steps } from '../../../../src/rows/where/steps.ts'
import { parseWhere } from '../../../../src/rows/where/where.ts'

const row = (value: string | string[] | { [name: string]: string }) => ({ names: ['a'], values: [value] })
const object = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, '']))

describe('the steps that a filter may take for one row', () => {
  test.each([
    { what: 'a long text that is searched', where: 'a ~ y', value: 'x'.repeat(2_000) },
    { what: 'some comparisons with a text', where: 'a ~ y or a ~ z or a ~ w', value: 'x'.repeat(400) },
    { what: 'a text that is compared', where: `a = '${'x'.repeat(1_100)}'`, value: 'x'.repeat(1_200) },
    { what: 'many elements', where: 'a = 5', value: Array.from({ length: 1_001 }, () => '') },
    { what: 'many members', where: 'a ~ y', value: object },
  ])('are counted: $what', ({ where, value }) => {
    expect(() => parseWhere(where, 1_000).matches(row(value))).toThrow(LimitError)
    expect(parseWhere(where).matches(row(value))).toBe(false)
  })

  test('are there in full for the next row', () => {
    const where = parseWhere('a ~ y', 1_000)
    for (let i = 0; i < 10; i++) expect(where.matches(row('x'.repeat(900)))).toBe(false)
    expect(where.steps.taken).toBeGreaterThan(9_000)
  })

  test('are as many as are said, and not one more', () => {
    const steps = new Steps(5)
    steps.take(3)
    steps.take(2)
    expect(() => steps.take(1)).toThrow(LimitError)
    steps.refill()
    expect(() => steps.take(6)).toThrow(LimitError)
  })

  test('let others have their turns where the rows of one batch take many', async () => {
    const rows = Array.from({ length: 40 }, () => row('x'.repeat(100_000)))
    let turns = 0
    const timer = setInterval(() => turns++)
    const count = setImmediate(function next() {
      turns++
      setImmediate(next).unref()
    })
    const found = await filterRows(rows, parseWhere('a ~ y'))
    clearInterval(timer)
    clearImmediate(count)
    expect(found.length).toBe(0)
    expect(turns).toBeGreaterThan(2)
  })
})

describe('createSearch', () => {
  test('finds what the engine finds', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 0, maxLength: 120 })
    fc.assert(
      fc.property(few, few, few, (before, wanted, behind) => {
        const text = before + wanted + behind
        expect(createSearch(wanted)(text)).toBe(true)
        expect(createSearch(wanted)(before + behind)).toBe((before + behind).includes(wanted))
        const long = wanted + wanted.slice(0, 40).padEnd(40, 'ab')
        expect(createSearch(long)(text + long.slice(1))).toBe((text + long.slice(1)).includes(long))
      }),
    )
  })

  test('looks at each character a few times at the most', () => {
    let looks = 0
    const text = 'a'.repeat(100_000)
    const counted = {
      length: text.length,
      includes: () => false,
      charCodeAt: (at: number) => {
        looks++
        return text.charCodeAt(at)
      },
    }
    const wanted = `${'a'.repeat(2_000)}b${'a'.repeat(2_000)}`
    expect(createSearch(wanted)(counted)).toBe(false)
    expect(looks).toBe(100_000)
  })
})
