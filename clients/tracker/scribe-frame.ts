/**
 * What a Scribe client writes and reads, in Thrift's binary protocol with the strict header, each in a frame:
 *
 *     call      length:4  80010001  length:4 "Log"  sequence:4  0f 0001 0c count:4  entry*  00
 *     entry     0b 0001 length:4 category   0b 0002 length:4 message   00
 *     message   <ms since the epoch> ":" <base64 of a bare struct: the fields of the event>
 *     reply     length:4  80010002  length:4 "Log"  sequence:4  08 0000 result:4  00      0 is OK, 1 TRY_LATER
 *
 * Servers may reply with the older header, without a version: length:4 "Log" type:1 sequence:4.
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../../src/errors.ts'
import { encodeFields, type ThriftField, thriftType } from '../../src/formats/thrift/field-list.ts'
import { ThriftReader } from '../../src/formats/thrift/reader.ts'
import { ThriftWriter } from '../../src/formats/thrift/writer.ts'
import type { Field } from './fields.ts'

/** Longest reply that is read. */
export const maxReplyBytes = 65_536

const version = -0x7fff_0000
const call = 1
const reply = 2

/** One entry of a call. @throws TypeError an annotation, which only GET has; RangeError a value that does not fit */
export const toEntry = (category: string, dateMs: number, fields: readonly Field[]): Uint8Array => {
  const struct = encodeFields(fields.map((one, index) => toThriftField(one, index + 1)))
  const message = `${dateMs}:${Buffer.from(struct).toString('base64')}`
  return encodeFields([
    { id: 1, type: thriftType.string, value: Buffer.from(category) },
    { id: 2, type: thriftType.string, value: Buffer.from(message) },
  ])
}

/** A whole call, its frame included. */
export const toLogCall = (entries: readonly Uint8Array[], sequence: number): Uint8Array => {
  const writer = new ThriftWriter()
  writer.i32(version | call)
  writer.binary(Buffer.from('Log'))
  writer.i32(sequence)
  writer.fieldHeader(thriftType.list, 1)
  writer.byte(thriftType.struct)
  writer.i32(entries.length)
  const head = writer.bytes()
  const length = head.length + entries.reduce((sum, entry) => sum + entry.length, 0) + 1
  const frame = Buffer.alloc(4)
  frame.writeInt32BE(length)
  return Buffer.concat([frame, head, ...entries, Uint8Array.of(0)])
}

/**
 * Reads the reply to a call, without its frame: whether the server took the entries.
 * @throws FormatError anything but the reply to this call with OK or TRY_LATER
 */
export const readLogReply = (bytes: Uint8Array, sequence: number): 'ok' | 'try-later' => {
  const reader = new ThriftReader(bytes)
  const first = reader.i32()
  const isStrict = first < 0
  const name = Buffer.from(isStrict ? reader.binary() : take(reader, first)).toString()
  const type = isStrict ? first & 0xff : reader.byte()
  const answered = reader.i32()
  if (type !== reply || name !== 'Log' || answered !== sequence) {
    throw unexpected(
      `a reply to Log, number ${sequence}; found type ${type} of ${JSON.stringify(name.slice(0, 40))}, ${answered}`,
    )
  }
  for (let field = reader.fieldType(); field !== thriftType.stop; field = reader.fieldType()) {
    const id = reader.i16()
    if (field !== thriftType.i32 || id !== 0) {
      reader.skip(field)
      continue
    }
    const result = reader.i32()
    if (result === 0) return 'ok'
    if (result === 1) return 'try-later'
    throw unexpected(`the result 0 or 1, found ${result}`)
  }
  throw unexpected('a result')
}

/** Bytes whose length was read already. */
const take = (reader: ThriftReader, length: number): Uint8Array => {
  if (length > reader.left) throw unexpected(`a name of at most ${reader.left} bytes, found ${length}`)
  return Uint8Array.from({ length }, () => reader.byte())
}

const toThriftField = (one: Field, id: number): ThriftField => {
  switch (one.type) {
    case 'b':
      return { id, type: thriftType.bool, value: one.value }
    case '1':
      return { id, type: thriftType.byte, value: Number(one.value) }
    case '2':
      return { id, type: thriftType.i16, value: Number(one.value) }
    case '4':
      return { id, type: thriftType.i32, value: Number(one.value) }
    case '8':
      return { id, type: thriftType.i64, value: one.value }
    case 'd':
      return { id, type: thriftType.double, value: one.value }
    case 's':
      return { id, type: thriftType.string, value: Buffer.from(one.value) }
    case 'x':
      throw new TypeError(`Cannot send the annotation ${one.value} by Scribe: only GET has annotations`)
  }
}

const unexpected = (expected: string): FormatError => new FormatError('scribe', 0, `expected ${expected}`)
