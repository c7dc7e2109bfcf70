/** Events of all that a payload can hold, in three flushes, with what each reader must find of them. */
import { Decimal, type Value } from '../../../src/formats/number.ts'
import { dayMs, firstDay } from './orders.ts'
import { type Row, toRow } from './rows.ts'
import { type SentEvent, sendJson, sendSmile } from './send.ts'

type Case = {
  readonly payload: Readonly<Record<string, Value>>
  /** Where its row is another; undefined where that has no such column. */
  readonly row?: Row
}

export const maxLong = 2n ** 63n - 1n
export const minLong = -(2n ** 63n)

/** A character of each plane of Unicode, and those that quoting and padding go wrong with. */
const planes = Array.from({ length: 17 }, (_, plane) => String.fromCodePoint(plane * 0x1_0000 + 0x1234))
const text = `${planes.join('')}\0"\\\n,é`

/** What comes in three flushes: integers first in `x`, then fractions, then text. */
const flushes: readonly (readonly Case[])[] = [
  [
    {
      payload: {
        big: maxLong,
        huge: 2n ** 64n,
        share: 0.1,
        price: new Decimal(12_345_678_901_234_567_891n, 19),
        flag: true,
        text,
        nested: { a: maxLong, b: { c: 'deep', d: [1, 2] } },
        list: [
          { k: 'a', v: 1 },
          { k: 'b', v: minLong },
        ],
        grid: [[1, 2], [], [3]],
        mixed: [1, 'a', null],
        x: 1,
        Name: 'upper',
      },
      row: { huge: '18446744073709551616', price: '1.2345678901234567891', mixed: '[1,"a",null]' },
    },
    {
      payload: {
        big: minLong,
        huge: -(2n ** 70n),
        share: -2.5e-300,
        flag: false,
        text: '',
        nested: { a: minLong, b: { c: text, d: [] } },
        list: [],
        grid: [],
        mixed: { k: 1 },
        x: 9_007_199_254_740_993n,
        label: 'a',
      },
      row: { huge: '-1180591620717411303424', mixed: '{"k":1}' },
    },
    { payload: { big: 9_007_199_254_740_993n, share: Number.MAX_VALUE, x: -1, label: 5 }, row: { label: '5' } },
    { payload: { big: null, huge: null, share: null, flag: null, text: null, nested: null, list: null, x: null } },
    { payload: {} },
    { payload: { label: '5' }, row: { _extra: { label: '5' } } },
    {
      // Names that readers cannot tell apart, or that the directories have.
      payload: { name: 'lower', dt: 'mine', hour: 25, '': 'empty' },
      row: { ...none('name', 'dt', 'hour', ''), _extra: { name: 'lower', dt: 'mine', hour: 25, '': 'empty' } },
    },
  ],
  [
    { payload: { x: 1.5, big: maxLong }, row: { ...none('x'), _extra: { x: 1.5 } } },
    { payload: { x: 0.1, big: minLong }, row: { ...none('x'), _extra: { x: 0.1 } } },
    { payload: { x: 2, later: 'a column more', bytes: Uint8Array.of(0, 255, 128) } },
  ],
  [
    { payload: { x: 'abc' }, row: { ...none('x'), _extra: { x: 'abc' } } },
    { payload: { x: text }, row: { ...none('x'), _extra: { x: text } } },
    { payload: { x: [1], big: 'words' }, row: { ...none('x', 'big'), _extra: { x: [1], big: 'words' } } },
    { payload: { x: 3, nested: { a: 1, b: { c: 'more', d: [3] }, e: 'a member more' } } },
  ],
]

function none(...names: readonly string[]): Row {
  return Object.fromEntries(names.map(name => [name, undefined]))
}

const cases = flushes
  .flatMap((some, flush) =>
    some.map((one, i) => ({ ...one, flush, at: firstDay + flush * dayMs + (22 + (i % 2)) * 3_600_000 + 1 })),
  )
  .map((one, n) => ({ ...one, n }))

/** Sends the events of a flush, 0 to 2, some as JSON and the others as Smile. */
export const sendEverything = async (server: string, flush: number): Promise<void> => {
  const sent = cases.filter(one => one.flush === flush)
  const toEvent = ({ n, at, payload }: (typeof cases)[number]): SentEvent => ({
    name: 'Everything',
    payload: { eventDate: at, n, ...payload },
  })
  await sendJson(server, sent.filter(isForJson).map(toEvent))
  await sendSmile(server, sent.filter(one => !isForJson(one)).map(toEvent))
}

/** JSON has no bytes. */
const isForJson = ({ n, payload }: (typeof cases)[number]): boolean => n % 2 === 0 && !('bytes' in payload)

/** All rows in the order of `n`. */
export const everythingRows: readonly Row[] = cases.map(({ n, at, payload, row }) =>
  toRow({
    eventName: 'Everything',
    eventDate: new Date(at).toISOString(),
    eventGranularity: 'HOURLY',
    n,
    ...payload,
    ...row,
  }),
)
