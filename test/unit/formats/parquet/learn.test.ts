import { describe, expect, test } from 'vitest'
import { fromMembers } from '../../../../src/formats/members.ts'
import { Decimal, Float64, type Value } from '../../../../src/formats/number.ts'
import { type Kind, type KindJson, type StructKind, toJsonValue } from '../../../../src/formats/parquet/kind.ts'
import { Learner, maxLearnedColumns } from '../../../../src/formats/parquet/learn.ts'

type Row = { readonly [key: string]: Value }

/** What columns are after some rows. */
const learn = (
  rows: readonly Row[],
  columns: StructKind = { struct: new Map() },
  isTyped = true,
): Record<string, KindJson> => {
  const learner = new Learner(columns)
  for (const payload of rows) learner.observe({ payload, isTyped })
  learner.settle()
  return Object.fromEntries(Array.from(columns.struct, ([name, kind]) => [name, toJsonValue(kind)]))
}

const big = 2n ** 70n
const odd = 2n ** 53n + 1n

describe('what a column is learned to be', () => {
  test.each<[string, readonly Value[], KindJson | undefined]>([
    ['true and false', [true, false, null], 'boolean'],
    ['integers', [1, -(2n ** 63n), 2n ** 63n - 1n], 'integer'],
    ['integers beyond 64 bits', [1, 2n ** 63n], 'digits'],
    ['a fraction among integers', [1, 2.5, 3], 'double'],
    ['1.0 among integers', [1, new Float64(1)], 'double'],
    ['a fraction, and an integer that a double holds', [0.5, 2n ** 60n], 'double'],
    ['a fraction, and one that it does not', [0.5, odd], 'digits'],
    ['a fraction, and one beyond 64 bits', [0.5, big], 'digits'],
    ['a decimal of many digits', [1.5, new Decimal(12345678901234567890n, 10)], 'digits'],
    ['not a number', [Number.NaN], 'double'],
    ['text', ['', 'a'], 'text'],
    ['binary', [Uint8Array.of(1)], 'bytes'],
    ['null alone', [null], undefined],
    ['an empty list alone', [[]], undefined],
    ['an empty object alone', [{}], undefined],
    ['text and numbers', ['1', 1], 'mixed'],
    ['text and true', ['1', true], 'mixed'],
    ['text and an object', ['1', { a: 1 }], 'mixed'],
    ['text and binary', ['1', Uint8Array.of(1)], 'json'],
    ['a number and true', [1, true], 'json'],
    ['a list and its element', [[1], 1], 'json'],
    ['lists of integers', [[], [1], [2, null]], { list: 'integer' }],
    ['a list whose elements do not agree', [[1, 'a']], { list: 'mixed' }],
    ['lists of lists', [[[1]], [[0.5]]], { list: { list: 'double' } }],
    [
      'objects',
      [{ a: 1 }, { b: 'x' }],
      {
        struct: [
          ['a', 'integer'],
          ['b', 'text'],
        ],
      },
    ],
    ['a member that is null alone', [{ a: 1, b: null }], { struct: [['a', 'integer']] }],
    [
      'a member of which only an empty list came',
      [{ a: 1, b: [] }],
      {
        struct: [
          ['a', 'integer'],
          ['b', 'json'],
        ],
      },
    ],
    ['a member that does not agree', [{ a: 1 }, { a: 'x' }], { struct: [['a', 'mixed']] }],
    ['members that differ in case', [{ a: 1, A: 2 }], 'json'],
    ['a member without a name', [{ '': 1 }], 'json'],
    [
      'lists of objects',
      [[{ a: 1 }], [{ b: 2 }]],
      {
        list: {
          struct: [
            ['a', 'integer'],
            ['b', 'integer'],
          ],
        },
      },
    ],
  ])('%s', (_, values, kind) => {
    expect(learn(values.map(x => ({ x })))).toEqual(kind === undefined ? {} : { x: kind })
  })

  test.each<[string, readonly Value[], KindJson]>([
    ['a whole number', [12], 'double'],
    ['12.00 as JavaScript writes it, then 8.5', [12, 8.5], 'double'],
    ['a whole number beyond 2^53 that a double holds', [12, 2n ** 60n], 'integer'],
    ['one that it does not', [12, odd], 'integer'],
    ['one that it does not, and a fraction', [odd, 8.5], 'digits'],
    ['one beyond 64 bits', [12, big], 'digits'],
    ['1.0', [new Float64(1)], 'double'],
    ['a list', [[1, 2]], { list: 'double' }],
    ['members of objects in lists', [[{ n: 1 }]], { list: { struct: [['n', 'double']] } }],
    ['text and numbers', ['a', 1], 'mixed'],
  ])('of a sender who does not tell integers from fractions: %s', (_, values, kind) => {
    expect(
      learn(
        values.map(x => ({ x })),
        undefined,
        false,
      ),
    ).toEqual({ x: kind })
  })

  test('integers of a sender who tells them, beside whole numbers of one who does not', () => {
    const columns: StructKind = { struct: new Map() }
    const learner = new Learner(columns)
    learner.observe({ payload: { x: 1 }, isTyped: true })
    learner.observe({ payload: { x: 2 }, isTyped: false })
    learner.settle()
    expect(columns.struct.get('x')).toBe('integer')
  })

  test('an object with many names is a map, whose names are data', () => {
    const members = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`n${i}`, i]))
    expect(learn([{ x: members }])).toEqual({ x: 'json' })
    const { n100: _, ...fewer } = members
    expect(learn([{ x: fewer }])['x']).toMatchObject({ struct: expect.any(Array) as Value })
  })

  test('what is nested too deep is JSON where it is', () => {
    let value: Value = 1
    for (let i = 0; i < 12; i++) value = [value]
    let kind: KindJson = 'json'
    for (let i = 0; i < 8; i++) kind = { list: kind }
    expect(learn([{ x: value }])).toEqual({ x: kind })
  })

  test('names in the order in which they came, also those that look like numbers', () => {
    const columns: StructKind = { struct: new Map() }
    learn(
      [
        fromMembers([
          ['b', 1],
          ['10', 2],
          ['a', 3],
        ]),
      ],
      columns,
    )
    expect([...columns.struct.keys()]).toEqual(['b', '10', 'a'])
  })
})

describe('columns that are there', () => {
  const columns = (...members: [string, Kind][]): StructKind => ({ struct: new Map(members) })

  test('stay as they are, whatever comes', () => {
    expect(learn([{ x: 0.5 }, { x: 'a' }, { x: [1] }], columns(['x', 'integer']))).toEqual({ x: 'integer' })
  })

  test('get neighbours, and structs new members, in lists too', () => {
    const user = columns(['id', 'integer'])
    expect(learn([{ y: 1, user: { id: 'x', name: 'n' } }], columns(['user', user]))).toEqual({
      user: {
        struct: [
          ['id', 'integer'],
          ['name', 'text'],
        ],
      },
      y: 'integer',
    })
    const lines = columns(['id', 'integer'])
    expect(learn([{ lines: [{ n: 1 }] }], columns(['lines', { list: lines }]))).toEqual({
      lines: {
        list: {
          struct: [
            ['id', 'integer'],
            ['n', 'integer'],
          ],
        },
      },
    })
  })

  test('of two that are new and differ in case, the first one is a column', () => {
    expect(learn([{ userId: 1, userid: 'x' }])).toEqual({ userId: 'integer' })
  })

  test('a struct gets no more than 100 members', () => {
    const user = columns(['id', 'integer'])
    const members = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`n${i}`, i]))
    learn([{ user: members }], columns(['user', user]))
    expect(user.struct.size).toBe(100)
  })

  test('what came before they were settled does not count for those that come later', () => {
    const known = columns()
    const learner = new Learner(known)
    learner.observe({ payload: { x: [] }, isTyped: true })
    learner.settle()
    learner.observe({ payload: { x: 'a' }, isTyped: true })
    expect(learner.settle()).toBe(true)
    expect(known.struct.get('x')).toBe('text')
    expect(learner.settle()).toBe(false)
  })

  test('no neighbour whose name differs in case only, is empty, too long, or has control characters', () => {
    const long = 'x'.repeat(256)
    expect(learn([{ userid: 1, '': 1, [long]: 1, 'a\nb': 1, '\ud800': 1 }], columns(['userId', 'text']))).toEqual({
      userId: 'text',
    })
  })

  test(`are ${maxLearnedColumns} at most`, () => {
    const row = Object.fromEntries(Array.from({ length: maxLearnedColumns + 10 }, (_, i) => [`c${i}`, i]))
    expect(Object.keys(learn([row]))).toHaveLength(maxLearnedColumns)
    const nested = Object.fromEntries(Array.from({ length: maxLearnedColumns }, (_, i) => [`c${i}`, { a: 1, b: 2 }]))
    expect(Object.keys(learn([nested]))).toHaveLength(maxLearnedColumns / 2)
  })

  test('are no more with a struct that has more members than there is room for: it is left out as a whole', () => {
    const structOf = (members: number): Row =>
      Object.fromEntries(Array.from({ length: members }, (_, i) => [`m${i}`, i]))
    const few = Object.fromEntries(Array.from({ length: maxLearnedColumns - 100 }, (_, i) => [`c${i}`, i]))
    expect(Object.keys(learn([{ ...few, exact: structOf(100) }]))).toHaveLength(maxLearnedColumns - 99)
    const columns = learn([{ ...few, one: 1, large: structOf(100), small: structOf(99) }])
    expect(Object.keys(columns).slice(-2)).toEqual(['one', 'small'])
  })
})
