import { encodeFields, thriftType } from '../../src/formats/thrift/field-list.ts'
import { encodeFrame, encodeMessage, messageType } from '../../src/formats/thrift/message.ts'

/** One entry of a `Log` call. */
export type ScribeEntry = {
  readonly category: string
  /** ms since the epoch. */
  readonly date: number
  /** Category and message together. */
  readonly bytes: number
}

/** What a server answers when it has kept the call: OK, strict, sequence 0. */
export const scribeOk = Buffer.from('0000001780010002000000034c6f67000000000800000000000000', 'hex')

/** A framed `Log` call, each message `<date>:<field list in base64>`, the form that old scripts send. */
export const createScribeFrame = (entries: readonly ScribeEntry[]): Buffer => {
  const call = { name: 'Log', type: messageType.call, sequence: 0 }
  const message = encodeMessage(call, writer => {
    writer.fieldHeader(thriftType.list, 1)
    writer.byte(thriftType.struct)
    writer.i32(entries.length)
    for (const entry of entries) {
      writer.fieldHeader(thriftType.string, 1)
      writer.binary(Buffer.from(entry.category))
      writer.fieldHeader(thriftType.string, 2)
      writer.binary(Buffer.from(createMessage(entry)))
      writer.stop()
    }
  })
  return Buffer.from(encodeFrame(message))
}

const createMessage = ({ category, date, bytes }: ScribeEntry): string => {
  const text = `https://search.example.net/?q=term${date % 700} ${'lorem ipsum '.repeat(20)}`
  const room = bytes - category.length - `${date}:`.length
  // Three bytes are four characters of base64; the text takes what the date and the fields' headers leave.
  const structBytes = Math.floor((room * 3) / 4) - 19
  const payload = encodeFields([
    { id: 1, type: thriftType.i64, value: BigInt(date) },
    { id: 2, type: thriftType.string, value: Buffer.from(text.slice(0, structBytes)) },
  ])
  return `${date}:${Buffer.from(payload).toString('base64')}`
}
