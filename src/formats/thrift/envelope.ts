import { FormatError } from '../../errors.ts'
import { ThriftReader } from './reader.ts'
import { decodeThriftText, utf8Length, writeUtf8 } from './text.ts'
import { thriftType, toTypeName } from './types.ts'

/** Longest type name and name, in bytes: 256 times what a path takes. Bounds the text made of a hostile length. */
export const maxEnvelopeNameBytes = 65_536

/**
 * An event with its name, as in `.thrift` files and as value of sequence files. The old library's ThriftEnvelope.
 *
 *     0b 0000 length:4 type name      the event's name
 *     0b 0002 length:4 name           only when it differs from the type name
 *     0b 0001 length:4 payload        a field list (see `field-list.ts`), stop included
 *     00
 */
export type ThriftEnvelope = {
  readonly typeName: string
  /** The type name unless something else was sent. */
  readonly name: string
  /** A bare struct as sent: not looked into here. A view of the bytes that were read. */
  readonly payload: Uint8Array
}

/** What to write: without a name it is the type name. */
export type ThriftEnvelopeInit = Omit<ThriftEnvelope, 'name'> & { readonly name?: string | undefined }

/** Writes an envelope as one struct. */
export const encodeEnvelope = (envelope: ThriftEnvelopeInit): Uint8Array => {
  const bytes = new Uint8Array(envelopeLength(envelope))
  writeEnvelope(envelope, bytes, 0)
  return bytes
}

/**
 * Reads the one envelope that `bytes` holds.
 * @throws FormatError `thrift` as {@link readEnvelope}, or bytes after the envelope
 */
export const decodeEnvelope = (bytes: Uint8Array): ThriftEnvelope => {
  const reader = new ThriftReader(bytes)
  const envelope = readEnvelope(reader)
  if (reader.left > 0)
    throw new FormatError('thrift', reader.offset, `expected the end, found ${reader.left} more bytes`)
  return envelope
}

/**
 * Reads an envelope with its fields in any order; of repeated ones the last counts.
 * @throws FormatError `thrift`: cut short, an id other than 0, 1 and 2, a field that is not a string, a name longer
 *   than {@link maxEnvelopeNameBytes}, no type name or no payload
 */
export const readEnvelope = (reader: ThriftReader): ThriftEnvelope => {
  const start = reader.offset
  let typeName: string | undefined
  let name: string | undefined
  let payload: Uint8Array | undefined
  for (
    let at = start, type = reader.fieldType();
    type !== thriftType.stop;
    at = reader.offset, type = reader.fieldType()
  ) {
    const id = reader.i16()
    if (id < 0 || id > 2) throw new FormatError('thrift', at, `expected field 0, 1 or 2 of an envelope, found ${id}`)
    if (type !== thriftType.string) {
      throw new FormatError(
        'thrift',
        at,
        `expected field ${id} of an envelope to be a string, found ${toTypeName(type)}`,
      )
    }
    if (id === 0) typeName = readName(reader)
    else if (id === 2) name = readName(reader)
    else payload = reader.binary()
  }
  if (typeName === undefined) throw new FormatError('thrift', start, 'expected an envelope with a type name (field 0)')
  if (payload === undefined) throw new FormatError('thrift', start, 'expected an envelope with a payload (field 1)')
  return { typeName, name: name ?? typeName, payload }
}

/** How many bytes {@link writeEnvelope} writes. */
export const envelopeLength = ({ typeName, name = typeName, payload }: ThriftEnvelopeInit): number => {
  const names = headerBytes + utf8Length(typeName) + (name === typeName ? 0 : headerBytes + utf8Length(name))
  return names + headerBytes + payload.length + 1
}

/** Writes an envelope at `at` and returns the offset after it; the caller has made room by {@link envelopeLength}. */
export const writeEnvelope = (envelope: ThriftEnvelopeInit, target: Uint8Array, at: number): number => {
  const { typeName, name = typeName, payload } = envelope
  let end = writeName(0, typeName, target, at)
  if (name !== typeName) end = writeName(2, name, target, end)
  end = writeHeader(1, payload.length, target, end)
  target.set(payload, end)
  end += payload.length
  target[end] = thriftType.stop
  return end + 1
}

/** Writes a big-endian i32 at `at` and returns the offset after it. */
export const writeI32 = (value: number, target: Uint8Array, at: number): number => {
  target[at] = value >>> 24
  target[at + 1] = value >>> 16
  target[at + 2] = value >>> 8
  target[at + 3] = value
  return at + 4
}

/** Type, id and length of a string field. */
const headerBytes = 7

const readName = (reader: ThriftReader): string => {
  const at = reader.offset
  const bytes = reader.binary()
  if (bytes.length <= maxEnvelopeNameBytes) return decodeThriftText(bytes)
  throw new FormatError('thrift', at, `expected a name of at most ${maxEnvelopeNameBytes} bytes, found ${bytes.length}`)
}

const writeName = (id: number, name: string, target: Uint8Array, at: number): number => {
  const start = at + headerBytes
  const end = writeUtf8(name, target, start)
  writeHeader(id, end - start, target, at)
  return end
}

const writeHeader = (id: number, length: number, target: Uint8Array, at: number): number => {
  target[at] = thriftType.string
  target[at + 1] = 0
  target[at + 2] = id
  return writeI32(length, target, at + 3)
}
