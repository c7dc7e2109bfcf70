import { Decimal, Float32, Float64 } from '../../../src/formats/number.ts'
import type { Row } from '../../../src/rows/row.ts'
import { parseWhere } from '../../../src/rows/where/where.ts'

/** The parameter `where`, asked of rows with values of all kinds. */
export const name = 'where'

export const dictionary = [
  '=',
  '!=',
  '<=',
  '>=',
  '~',
  '!~',
  ' and ',
  ' or ',
  'not ',
  '(',
  ')',
  '"',
  '""',
  "'",
  '.',
  ' in (',
  ',',
  ' like ',
  ' between ',
  ' is null',
  '%',
  '_',
  '\\',
  '&&',
  'null',
  'true',
  'a',
  'list',
  'object.b',
  '"a b"',
  '9007199254740993',
  '-0',
  '1e400',
  '0.1',
  '2024-05-01',
  '2024-05-01T00:00:00.5Z',
]

const values = [
  null,
  true,
  'text',
  '10',
  '2024-05-01T00:00:00.500000001+02:00',
  5,
  2n ** 63n,
  new Float64(1),
  new Float32(0.1),
  new Decimal(10n ** 30n, 20),
  Number.NaN,
  Uint8Array.of(1, 2),
  [],
  [[1], { b: 'x' }, null],
  { b: { c: [1, '2'] }, constructor: 1 },
]
const names = ['a', 'list', 'object', 'a b', 'b']
const rows = values.map(
  (_, at): Row => ({
    names,
    values: names.map((_, i) => values[(at + i * 4) % values.length] ?? null),
  }),
)
const none: Row = { names: [], values: [] }

export const corpus = (): Uint8Array[] =>
  [
    'a = 5',
    'status >= 500 and (path ~ "/api" or object.b.c = null)',
    `not not ("a b" != 'it''s' or list !~ x)`,
    'text',
    "a in (5, '10', text) or not (list not in (1) and b like '%t_xt\\\\%')",
    'a between 1 and 2024-05-01 and object.b is not null or "two words"',
    'a < 2024-05-01T10:20:30.123456789+02:00 or b = 9007199254740993',
  ].map(text => new Uint8Array(Buffer.from(text)))

/** One answer for a row, however often it is asked, and the opposite of what `not` says. @throws FormatError */
export const run = (bytes: Uint8Array): void => {
  const text = Buffer.from(bytes).toString('utf8')
  const where = parseWhere(text)
  const answers = [...rows, none].map(row => where.matches(row))
  const again = parseWhere(where.text)
  for (const [at, row] of [...rows, none].entries()) {
    if (again.matches(row) !== answers[at]) throw new Error(`row ${at} matches once, and once not`)
  }
  if (text.length > 4_000 || text.includes('(')) return
  const opposite = parseWhere(`not (${text})`)
  for (const [at, row] of [...rows, none].entries()) {
    if (opposite.matches(row) === answers[at]) throw new Error(`row ${at} matches "${text}" and the opposite alike`)
  }
}
