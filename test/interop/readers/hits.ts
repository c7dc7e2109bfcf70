/** Events that come as Thrift, whose fields have numbers in place of names. */
import { thriftType } from '../../../src/formats/thrift/field-list.ts'
import { maxLong, minLong } from './everything.ts'
import { dayMs, firstDay } from './orders.ts'
import { type Row, toRow } from './rows.ts'
import { sendThrift } from './send.ts'

const hits = [
  { at: firstDay + 1, big: maxLong, share: 0.1, text: 'a', flag: true, small: -5 },
  { at: firstDay + dayMs, big: minLong, share: 2, text: '𝄞日本', flag: false, small: 127 },
  { at: firstDay + 2 * dayMs, big: 9_007_199_254_740_993n, share: -1e300, text: '', flag: true, small: 0 },
] as const

/** Sends the one of a flush, 0 to 2. */
export const sendHit = async (server: string, flush: number): Promise<void> => {
  for (const { at, big, share, text, flag, small } of hits.slice(flush, flush + 1)) {
    await sendThrift(server, 'Hit', at, [
      { id: 1, type: thriftType.i64, value: big },
      { id: 2, type: thriftType.double, value: share },
      { id: 3, type: thriftType.string, value: Buffer.from(text) },
      { id: 4, type: thriftType.bool, value: flag },
      { id: 5, type: thriftType.string, value: bytes },
      { id: 6, type: thriftType.i32, value: small },
    ])
  }
}

/** Not UTF-8, which is how bytes differ from text. */
const bytes = Buffer.of(0xff, 0)

/** All rows in the order of their dates. */
export const hitRows: readonly Row[] = hits.map(({ at, big, share, text, flag, small }) =>
  toRow({
    eventName: 'Hit',
    eventDate: new Date(at).toISOString(),
    eventGranularity: 'HOURLY',
    field_1: big,
    field_2: share,
    field_3: text,
    field_4: flag,
    field_5: bytes,
    field_6: small,
  }),
)
