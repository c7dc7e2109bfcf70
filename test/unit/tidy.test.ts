import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { countLines, measureModule } from '../tidy/measure.ts'
import { limits, measureTree } from '../tidy/measure-tree.ts'
import { judge, type Measure } from '../tidy/ratchet.ts'
import {
  countPageWords,
  countWords,
  findAccents,
  maxWords,
  takeGeneratedOut,
  toProse,
  userPages,
} from '../tidy/words.ts'

describe('what was long once', () => {
  const exceptions = readFileSync('test/tidy/exceptions.txt', 'utf8')
  const verdict = judge(measureTree(), limits, exceptions)

  test('does not grow', () => expect(verdict.grown).toEqual([]))

  test('is on the list for as long as it is so, at its number: `npm run tidy` takes off the rest', () => {
    expect(verdict.couldShrink).toEqual([])
    expect(exceptions, 'in order, and each line once').toBe(verdict.list)
  })
})

describe('the pages', () => {
  test.each(userPages())('%s speaks plainly', page => expect(findAccents(page, readFileSync(page, 'utf8'))).toEqual([]))

  test.each(Object.entries(maxWords))('%s has at most %i words', (place, most) =>
    expect(countPageWords(place)).toBeLessThanOrEqual(most),
  )

  test.each([
    'It goes on as ever.',
    'Nobody is told.',
    'Files stand in a directory.',
    'Who wants less can have it.',
    'It works. What is missing is counted.',
    '| What comes late | waits |',
    'Start the server so.',
    'A copy is no backup.',
    'It is\ntold once.',
  ])('an accent is found: %j', text => expect(findAccents('a.md', text)).not.toEqual([]))

  test.each([
    '## What to watch',
    'What is a 202?',
    'There is no leader, and it is no longer needed.',
    'A standby and a stand-by.',
    '`nobody` may',
    '```sh\nnobody goes on\n```',
    '<!-- api -->\nnobody\n<!-- /api -->',
    'The answer says so.',
  ])('not in: %j', text => expect(findAccents('a.md', text)).toEqual([]))

  test('words are counted as `wc -w` does, without the generated parts of a folder', () => {
    expect(countWords(' | a | b–c\nd\n')).toBe(5)
    expect(takeGeneratedOut('a\n<!-- x-y -->\nb\n<!-- /x-y -->\nc')).toBe('a\n\nc')
    expect(toProse('a\nb\n\n- c\n  d\n| e |')).toBe('a b\n\n- c   d\n| e |')
  })
})

describe('functions', () => {
  const measure = (...lines: string[]): unknown => measureModule('a.ts', lines.join('\n')).functions

  test.each([
    { of: 'declaration', given: ['function f() {', '  g()', '}'], want: [{ name: 'f', lines: 3 }] },
    { of: 'constant', given: ['const f = (', '  a: string,', ') => a'], want: [{ name: 'f', lines: 3 }] },
    {
      of: 'one inside another, whose lines count for both',
      given: ['const f = () => {', '  const g = () => {', '    h()', '  }', '}'],
      want: [
        { name: 'f', lines: 5 },
        { name: 'f.g', lines: 3 },
      ],
    },
    {
      of: 'arrow in an object',
      given: ['const f = () => ({', '  close: () => {},', '  open() {', '    g()', '  },', '})'],
      want: [
        { name: 'f', lines: 6 },
        { name: 'f.close', lines: 1 },
        { name: 'f.open', lines: 3 },
      ],
    },
    {
      of: 'class',
      given: ['class C {', '  #a = () => 1', '  get b() {', '    return 1', '  }', '}'],
      want: [
        { name: '#a', lines: 1 },
        { name: 'b', lines: 3 },
      ],
    },
    {
      of: 'overloads, of which only the body has lines',
      given: ['function f(a: string): void', 'function f(a: number): void', 'function f(a: unknown) {', '}'],
      want: [{ name: 'f', lines: 2 }],
    },
    {
      of: 'argument',
      given: ['items.map(a =>', '  a)', 'const f = once(() => 1)', 'g.h = function () {}'],
      want: [
        { name: 'items.map()', lines: 2 },
        { name: 'f', lines: 1 },
        { name: 'g.h', lines: 1 },
      ],
    },
    { of: 'default', given: ['export default () => 1'], want: [{ name: 'anonymous', lines: 1 }] },
  ])('$of', ({ given, want }) => expect(measure(...given)).toEqual(want))

  test('only those that are longer than asked', () => {
    const text = 'const f = () => {\n  const g = () => 1\n}\n'
    expect(measureModule('a.ts', text, 2).functions).toEqual([{ name: 'f', lines: 3 }])
    expect(measureModule('a.ts', `${text}\n`, 3).functions).toEqual([])
  })
})

describe('exports', () => {
  test.each([
    ['export const a = 1, { b, c: [d] } = e', ['a', 'b', 'd']],
    ['export type A = 1\nexport interface B {}\nexport class C {}', ['A', 'B', 'C']],
    ['export type a = 1\nexport const a = 1', ['a']],
    ['export function a(): 1\nexport function a(): 1 { return 1 }', ['a']],
    ['const a = 1\nexport { a as b }', ['b']],
    ["export * from './a.ts'\nexport { b, type C } from './a.ts'\nexport * as d from './a.ts'", []],
    ["import { a } from './a.ts'\nexport { a }\nexport type { a as b }", []],
    ['export default 1\nconst a = 1', []],
  ])('%s', (given, want) => expect(measureModule('a.ts', given).exports).toEqual(want))
})

test('comments', () => expect(measureModule('a.ts', '// one\nf("/* no */") /* two */').comments).toBe(' one\n two '))

test.each([
  ['', 1],
  ['a', 1],
  ['a\n', 1],
  ['a\n\nb', 3],
])('lines of %j', (text, lines) => expect(countLines(text)).toBe(lines))

test('what is not TypeScript is refused', () => expect(() => measureModule('a.ts', 'const')).toThrow(/^a\.ts: /))

describe('judge', () => {
  const file = (place: string, count: number): Measure => ({ kind: 'file', place, count })
  const bounds = { function: 10, file: 20, folder: 5, name: 1, word: 0 }

  test.each<[Measure, string]>([
    [
      { kind: 'function', place: 'src/a.ts createA', count: 11 },
      'src/a.ts createA has 11 lines, at most 10 are allowed: take a thought out of it',
    ],
    [file('src/a.ts', 21), 'src/a.ts has 21 lines, at most 20 are allowed: give one of its concepts a file of its own'],
    [
      { kind: 'folder', place: 'src', count: 6 },
      'src has 6 files, at most 5 are allowed: give those of one concept a folder of their own',
    ],
    [
      { kind: 'name', place: 'toRow', count: 2, seenIn: ['a.ts', 'b.ts'] },
      'toRow is exported by 2 files (a.ts, b.ts), at most 1 may: name it for what it is there',
    ],
    [
      { kind: 'word', place: 'mend', count: 1 },
      '"mend" is in comments and pages 1 times, at most 0 are allowed: say it plainly',
    ],
  ])('names what has grown: %j', (measure, sentence) => {
    expect(judge([measure], bounds, '').grown).toEqual([sentence])
    expect(judge([{ ...measure, count: measure.count - 1 }], bounds, '').grown).toEqual([])
  })

  test('an exception holds what is long already where it is', () => {
    const list = '# why\nfile a.ts 30\n'
    expect(judge([file('a.ts', 30)], bounds, list)).toEqual({ grown: [], list, couldShrink: [] })
    expect(judge([file('a.ts', 31)], bounds, list).grown).toEqual([expect.stringContaining('at most 30')])
    expect(judge([file('a.ts', 31)], bounds, list).list).toBe(list)
    expect(judge([file('b.ts', 30), file('a.ts', 30)], bounds, list).grown).toEqual([expect.stringContaining('b.ts')])
  })

  test.each<[string, readonly Measure[], string, string, string]>([
    ['lower', [file('a.ts', 25)], 'file a.ts 30\n', 'file a.ts 25\n', 'file a.ts 30: 25 is enough'],
    ['short enough', [file('a.ts', 20)], 'file a.ts 30\n', '', 'file a.ts 30: no exception is needed any more'],
    ['gone', [], 'file a.ts 30\n', '', 'file a.ts 30: no exception is needed any more'],
  ])('an exception that could be %s is told, with its number', (_, measures, given, list, sentence) => {
    expect(judge(measures, bounds, given)).toEqual({ grown: [], list, couldShrink: [sentence] })
  })

  test.each([
    [91, 'word mend 100\n', []],
    [90, 'word mend 90\n', ['word mend 100: 90 is enough']],
    [0, '', ['word mend 100: no exception is needed any more']],
  ])('the number of a word falls by a tenth at least: %i', (count, list, couldShrink) => {
    const measures: readonly Measure[] = [{ kind: 'word', place: 'mend', count }]
    expect(judge(measures, bounds, 'word mend 100\n')).toEqual({ grown: [], list, couldShrink })
  })

  test.each(['a.ts 31\nfile a.ts 29', 'a.ts 29\nfile a.ts 31'])(
    'of a line that a merge left twice the lower number counts, and the order is that of the alphabet: %j',
    lines => {
      const verdict = judge([file('a.ts', 30), file('b.ts', 40)], bounds, `file b.ts 40\nfile ${lines}\n`)
      expect(verdict.grown).toEqual([expect.stringContaining('at most 29')])
      expect(verdict.list).toBe('file a.ts 29\nfile b.ts 40\n')
    },
  )

  test('another line is refused', () => expect(() => judge([], bounds, 'file a.ts\n')).toThrow(/"file a\.ts"/))
})
