import { FormatError } from '../../errors.ts'
import { ThriftReader } from './reader.ts'
import { decodeThriftText, encodeThriftText } from './text.ts'
import { thriftType } from './types.ts'
import { ThriftWriter } from './writer.ts'

/** Longest method name, in bytes; those known have at most 16. */
export const maxMethodNameBytes = 255

/** Bytes of a header at most: what has to be kept of a call in order to answer it. */
export const maxMessageHeaderBytes = maxMethodNameBytes + 12

/** Kinds of messages. The caller of a `oneway` call expects no answer. */
export const messageType = { call: 1, reply: 2, exception: 3, oneway: 4 } as const

/** Why a call has no result: the types of Thrift's TApplicationException that are used here. */
export const applicationError = {
  unknownMethod: 1,
  invalidMessageType: 2,
  internalError: 6,
  protocolError: 7,
} as const

/**
 * The header of a message in Thrift's binary protocol, in one of two styles:
 *
 *     strict       8001 00 type:1   length:4 name   sequence:4
 *     old          length:4 name    type:1          sequence:4
 *
 * The struct of a call holds its arguments by id; that of a reply holds the result as field 0.
 */
export type MessageHeader = {
  readonly name: string
  /** See {@link messageType}; not checked. */
  readonly type: number
  /** Whatever the caller chose; the answer repeats it. */
  readonly sequence: number
}

/** A message that was opened: its header, and a reader at the start of the struct. */
export type OpenMessage = { readonly header: MessageHeader; readonly reader: ThriftReader }

/**
 * Reads the header in either style.
 * @throws FormatError `thrift`: cut short, another version than 1, a name longer than {@link maxMethodNameBytes}
 */
export const openMessage = (bytes: Uint8Array): OpenMessage => {
  const reader = new ThriftReader(bytes)
  if (((bytes[0] ?? 0) & 0x80) === 0) {
    const name = readName(reader)
    return { header: { name, type: reader.byte(), sequence: reader.i32() }, reader }
  }
  const first = reader.i32()
  checkVersion(first, 0)
  const name = readName(reader)
  return { header: { name, type: first & 0xff, sequence: reader.i32() }, reader }
}

/** Refuses the first four bytes of a strict header that are not of version 1. */
export const checkVersion = (first: number, at: number): void => {
  const version = first >>> 16
  if (version === strictVersion) return
  throw new FormatError('thrift', at, `expected a message of version 8001, found ${version.toString(16)}`)
}

/** Refuses the length of a method name. */
export const checkNameLength = (length: number, at: number): void => {
  if (length >= 0 && length <= maxMethodNameBytes) return
  throw new FormatError('thrift', at, `expected a method name of at most ${maxMethodNameBytes} bytes, found ${length}`)
}

/** Writes a message with a strict header, which readers of both styles take; `writeStruct` writes all but its stop. */
export const encodeMessage = (
  { name, type, sequence }: MessageHeader,
  writeStruct: (writer: ThriftWriter) => void,
): Uint8Array => {
  const writer = new ThriftWriter(64)
  writer.i32((strictVersion << 16) | type)
  writer.binary(encodeThriftText(name))
  writer.i32(sequence)
  writeStruct(writer)
  writer.stop()
  return writer.bytes()
}

/** The length, four bytes, and the message: what the framed transport sends. */
export const encodeFrame = (message: Uint8Array): Uint8Array => {
  const frame = Buffer.allocUnsafe(4 + message.length)
  frame.writeInt32BE(message.length)
  frame.set(message, 4)
  return frame
}

/** Writes the answer to a call that has no result: a TApplicationException, `1: string message, 2: i32 type`. */
export const encodeException = (call: MessageHeader, type: number, message: string): Uint8Array =>
  encodeMessage({ ...call, type: messageType.exception }, writer => {
    writer.fieldHeader(thriftType.string, 1)
    writer.binary(encodeThriftText(message))
    writer.fieldHeader(thriftType.i32, 2)
    writer.i32(type)
  })

const strictVersion = 0x8001

const readName = (reader: ThriftReader): string => {
  const at = reader.offset
  const bytes = reader.binary()
  checkNameLength(bytes.length, at)
  return decodeThriftText(bytes)
}
