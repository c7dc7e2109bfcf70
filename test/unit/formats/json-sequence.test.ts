import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonSequenceLimits, splitJsonSequence } from '../../../src/formats/json-sequence.ts'
import { corpus, run } from '../../fuzz/targets/json-sequence.ts'

/** One line per item: `offset text`, `offset empty`, or `offset error: message`. */
const split = (text: string, limits?: JsonSequenceLimits): string[] =>
  Array.from(splitJsonSequence(text, limits), item => {
    if (item.kind === 'empty') return `${item.offset} empty`
    return item.kind === 'value' ? `${item.offset} ${item.text}` : `${item.offset} error: ${item.error.message}`
  })

const values = (text: string): string[] => {
  const found = []
  for (const item of splitJsonSequence(text)) if (item.kind === 'value') found.push(item.text)
  return found
}

const errors = (text: string): number =>
  Array.from(splitJsonSequence(text)).filter(({ kind }) => kind === 'error').length

const a = '{"eventName":"A","payload":{"x":1}}'
const b = '{"eventName":"B","payload":{"s":"}{\\"[\\\\","l":[{"y":2},[]]}}'

describe('values one after another', () => {
  test.each([
    { name: 'one', text: a, want: [a] },
    { name: 'without anything between', text: a + b + a, want: [a, b, a] },
    { name: 'with whitespace', text: ` ${a}\r\n\t${b} `, want: [a, b] },
    { name: 'with commas', text: `${a} , ${b},${a},`, want: [a, b, a] },
    { name: 'as JSON lines', text: `${a}\n${b}\n\n${a}\n`, want: [a, b, a] },
    { name: 'in an array', text: `[${a},${b}]`, want: [a, b] },
    { name: 'in an array without commas', text: `[${a} ${b}${a}]`, want: [a, b, a] },
    { name: 'in an array that is not closed', text: `[${a},${b}`, want: [a, b] },
    { name: 'in an array cut behind a comma', text: `[${a},`, want: [a] },
    { name: 'in arrays one after another', text: `[${a}][${b}],\n[${a}]`, want: [a, b, a] },
    { name: 'in arrays not closed', text: `[${a}\n[${b},[${a}`, want: [a, b, a] },
    { name: 'beside an array', text: `${a}[${b}]${a}`, want: [a, b, a] },
    { name: 'behind a mark of UTF-8', text: `\u{feff}${a}\u{feff}${b}`, want: [a, b] },
    { name: 'that are not objects', text: '1 "a" true, null [-2.5e3]', want: ['1', '"a"', 'true', 'null', '-2.5e3'] },
    { name: 'of which one is no object', text: `7${a}"s"${b}`, want: ['7', a, '"s"', b] },
  ])('$name', ({ text, want }) => {
    expect(values(text)).toEqual(want)
    expect(errors(text)).toBe(0)
  })

  test('have offsets and indexes; an empty array has no indexes', () => {
    expect([...splitJsonSequence(`[ ] ${a} oops []`)]).toMatchObject([
      { kind: 'empty', offset: 0 },
      { kind: 'value', offset: 4, index: 0, text: a },
      { kind: 'error', offset: 40, index: 1 },
      { kind: 'empty', offset: 45 },
    ])
    expect(split('')).toEqual([])
    expect(split(' \n ')).toEqual([])
    expect(split('[][\t]')).toEqual(['0 empty', '2 empty'])
    expect(split('[[]]')).toEqual(['1 empty'])
  })
})

describe('damage', () => {
  test.each([
    {
      text: `${a} garbage`,
      want: [`0 ${a}`, '36 error: json: expected a value (the damage begins at 36) at character 36'],
    },
    {
      text: `<oops> and more ${a}`,
      want: ['0 error: json: expected a value (the damage begins at 0) at character 0', `16 ${a}`],
    },
    {
      text: `${a}}} ${b}`,
      want: [`0 ${a}`, '35 error: json: expected a value (the damage begins at 35) at character 35', `38 ${b}`],
    },
    { text: '{', want: ['0 error: json: expected a name or "}" (the damage begins at 0) at character 1'] },
    {
      text: `[${a},{"eventName":"Q","payload":{"x":1}`,
      want: [`1 ${a}`, '37 error: json: expected "," or "}" (the damage begins at 37) at character 71'],
    },
    {
      text: `{"a":"x\n${a}`,
      want: ['0 error: json: expected the rest of a string (the damage begins at 0) at character 7', `8 ${a}`],
    },
    {
      text: `{"a":"x${a}`,
      want: ['0 error: json: expected "," or "}" (the damage begins at 0) at character 9', `7 ${a}`],
    },
    { text: `" ${a}`, want: ['0 error: json: expected a separator (the damage begins at 0) at character 4', `2 ${a}`] },
    {
      text: `{"a":{"b":${a},"c":2`,
      want: [
        '0 error: json: expected "," or "}" (the damage begins at 0) at character 51',
        `10 ${a}`,
        '46 error: json: expected "," or "}" (the damage begins at 46) at character 51',
      ],
    },
    {
      text: `{"a":{"b":${a},${b}`,
      want: ['0 error: json: expected a name (the damage begins at 0) at character 46', `10 ${a}`, `46 ${b}`],
    },
    {
      text: `{"a":tru${a}`,
      want: ['0 error: json: expected a value (the damage begins at 0) at character 5', `8 ${a}`],
    },
    {
      text: `{"a":01}{"b":2}`,
      want: ['0 error: json: expected "," or "}" (the damage begins at 0) at character 6', '8 {"b":2}'],
    },
    {
      text: '{"a":1 {"b":2}',
      want: ['0 error: json: expected "," or "}" (the damage begins at 0) at character 7', '7 {"b":2}'],
    },
    { text: '{"a":{"b":2}', want: ['0 error: json: expected "," or "}" (the damage begins at 0) at character 12'] },
    {
      text: '{"a":"{\\"b\\":2} {}',
      want: ['0 error: json: expected the rest of a string (the damage begins at 0) at character 18'],
    },
    {
      text: `{"eventName":A,"payload":{"n":${a}}}${b}`,
      want: ['0 error: json: expected a value (the damage begins at 0) at character 13', `67 ${b}`],
    },
  ])('$text', ({ text, want }) => {
    expect(split(text)).toEqual(want)
  })

  test('of depth is an error of its own, and what is as deep as allowed is found even inside', () => {
    const deep = (levels: number): string => `${'{"eventName":'.repeat(levels)}0${'}'.repeat(levels)}`
    expect(split(`${deep(3)} ${deep(4)} ${a}`, { maxDepth: 3 })).toEqual([
      `0 ${deep(3)}`,
      '44 error: json: expected at most 3 levels (the damage begins at 44) at character 44',
      `102 ${a}`,
    ])
    expect(split(`{"a":{"b":${deep(3)}`, { maxDepth: 3 })).toContainEqual(`10 ${deep(3)}`)
    expect(split(deep(100_000), { maxDepth: 3, isEvent: () => false })).toHaveLength(1)
  })

  test('hides an object that may be a part of it, unless it is an event', () => {
    const isEvent = (value: unknown): boolean => typeof value === 'object' && value !== null && 'b' in value
    expect(split('{"a":[{"c":1},{"b":2},', { isEvent })).toContainEqual('14 {"b":2}')
    expect(split('{"a":[{"c":1},{"b":2},')).toHaveLength(1)
  })
})

/** Whether `text` has all of `wanted`, in order. */
const hasInOrder = (found: readonly string[], wanted: readonly string[]): boolean => {
  let at = 0
  for (const value of found) if (value === wanted[at]) at++
  return at === wanted.length
}

const bad = '{"eventName":"Q","payload":{"s":"t\\u00e9\\\\","n":{"m":-1.5e3},"l":[true,null,{"y":2},"z"]}}'
const frames = [
  { name: 'nothing', join: '', open: '', close: '' },
  { name: 'commas in an array', join: ',', open: '[', close: ']' },
  { name: 'lines', join: '\n', open: '', close: '\n' },
  { name: 'lines of an array', join: ',\n  ', open: '[\n  ', close: '\n]' },
]

describe.each(frames)('with $name between events', ({ join, open, close }) => {
  test('an event cut at any character is one error, and the others are found', () => {
    for (let end = 1; end < bad.length; end++) {
      const text = open + [a, bad.slice(0, end), b, a].join(join) + close
      expect({ end, values: values(text) }).toEqual({ end, values: [a, b, a] })
      expect({ end, errors: errors(text) }).toEqual({ end, errors: 1 })
    }
  })

  test('an event that lost its beginning hides none of the others', () => {
    for (let start = 1; start < bad.length; start++) {
      const text = open + [a, bad.slice(start), b, a].join(join) + close
      expect({ start, found: hasInOrder(values(text), [a, b, a]) }).toEqual({ start, found: true })
    }
  })

  test('a body cut at any character gives all events before the cut', () => {
    const events = [a, b, bad]
    const text = open + events.join(join)
    for (let end = 0; end <= text.length; end++) {
      const whole = events.filter((_, i) => (open + events.slice(0, i + 1).join(join)).length <= end)
      expect({ end, values: values(text.slice(0, end)) }).toEqual({ end, values: whole })
    }
  })

  test('a character put in, taken out or changed hides none of the others', () => {
    const change = fc.record({
      at: fc.nat(bad.length - 1),
      put: fc.constantFrom('', '{', '}', '[', ']', '"', ',', ':', '\\', '\n', 'x', '1', ' '),
      removed: fc.nat(1),
    })
    fc.assert(
      fc.property(change, ({ at, put, removed }) => {
        const changed = bad.slice(0, at) + put + bad.slice(at + removed)
        return hasInOrder(values(open + [a, changed, b, a].join(join) + close), [a, b, a])
      }),
      { numRuns: 2000 },
    )
  })
})

test('any values are found, whatever is between them', () => {
  const between = fc.constantFrom(' ', '\n', ',', ' ,\t', '] [', '\r\n')
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map(value => JSON.stringify(value))
  fc.assert(
    fc.property(fc.array(fc.tuple(object, between), { maxLength: 8 }), parts => {
      expect(values(parts.flat().join(''))).toEqual(parts.map(([value]) => value))
    }),
  )
})

describe('work', () => {
  const size = 1 << 16
  test.each([
    { name: 'braces', piece: '{' },
    { name: 'brackets', piece: '[' },
    { name: 'quotes', piece: '"' },
    { name: 'objects never closed', piece: '{"a":' },
    { name: 'arrays never closed within one', piece: '{"a":[' },
    { name: 'strings that begin objects', piece: '[{"a":"' },
    { name: 'braces in strings', piece: '"{' },
    { name: 'text valid with quotes either way', piece: '{":' },
    { name: 'names that look like objects', piece: '":{",' },
    { name: 'braces behind escapes', piece: '{"\\"{' },
    { name: 'whole objects in one that is not', piece: '{"a":{},' },
    { name: 'events in objects never closed', piece: `{"a":[${a},` },
    { name: 'events in strings', piece: `{"a":"${a}` },
    { name: 'bare words', piece: 'x ' },
    { name: 'braces and blanks', piece: '{ ' },
  ])('is linear for $name', ({ piece }) => {
    for (const begin of ['', '{"a":', '{"', '"']) {
      const text = begin + piece.repeat(size / piece.length)
      const work = { characters: 0 }
      for (const _ of splitJsonSequence(text, { work }));
      expect(work.characters).toBeLessThan(6 * text.length)
    }
  })

  test('is linear for any pattern, and an event behind it is found', () => {
    const token = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'a', '{"a":', '{"', '":', '"}', a, '{"a":"{')
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 8 }), tokens => {
        const text = `${tokens.join('').repeat(200)}\n${b}`
        const work = { characters: 0 }
        let last = ''
        for (const item of splitJsonSequence(text, { work })) if (item.kind === 'value') last = item.text
        expect(work.characters).toBeLessThan(12 * text.length)
        expect(last).toBe(b)
      }),
      { numRuns: 500 },
    )
  })
})

test('any text is taken apart without an error being thrown', () => {
  for (const seed of corpus()) run(seed)
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '\\',
    '"a"',
    '1',
    'null',
    ' ',
    '\n',
    a,
    b.slice(0, 40),
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 30 }), tokens => run(Buffer.from(tokens.join('')))),
    { numRuns: 2000 },
  )
})
