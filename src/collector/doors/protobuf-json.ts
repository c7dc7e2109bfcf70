import { isUtf8 } from 'node:buffer'
import { GrowingBytes } from '../../bytes/growing-bytes.ts'
import { FormatError, SluiceError } from '../../errors.ts'
import { type ProtobufField, readProtobufFields } from '../../formats/protobuf/fields.ts'
import type { WorkSteps } from '../work-turns.ts'

/** How a value is written: OTLP has ids in hexadecimal digits, unlike other bytes, and integers of 64 bits as texts. */
export type ProtobufType = 'text' | 'boolean' | 'uint32' | 'int64' | 'fixed32' | 'fixed64' | 'double' | 'base64' | 'hex'

/** Fields of a message by their numbers. */
export type ProtobufMessage = {
  readonly [number: number]: {
    readonly name: string
    readonly of: ProtobufType | (() => ProtobufMessage)
    readonly isList?: boolean
  }
}

/**
 * Writes a message as JSON, in turns; fields that its description lacks as `_unknown`, in base64.
 * @throws SluiceError `bad-event`: it is damaged
 */
export function* protobufToJson(
  bytes: Buffer,
  message: ProtobufMessage,
  addBytes: (bytes: number) => void = () => {},
): WorkSteps<Buffer> {
  const made = new GrowingBytes(Number.MAX_SAFE_INTEGER)
  let pending = ''
  const flush = (): void => {
    const piece = Buffer.from(pending)
    addBytes(piece.length)
    made.append(piece)
    pending = ''
  }
  try {
    for (const piece of writeMessage(bytes, 0, bytes.length, message, 0)) {
      pending += piece
      if (pending.length < flushedChars) continue
      flush()
      yield
    }
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new SluiceError('bad-event', `The body does not match its Content-Type: ${cause.message}`, { cause })
  }
  flush()
  return made.bytes()
}

const flushedChars = 64 * 1024
/** Deeper events are refused anyway. */
const maxLevels = 500

function* writeMessage(
  bytes: Buffer,
  start: number,
  end: number,
  message: ProtobufMessage,
  level: number,
): Generator<string, void, undefined> {
  if (level > maxLevels) throw new FormatError('protobuf', start, `nested deeper than ${maxLevels} levels`)
  const fields = new Map<number, ProtobufField[]>()
  const unknown: Uint8Array[] = []
  let last = start
  let lastIsUnknown = false
  const close = (at: number): void => {
    if (lastIsUnknown) unknown.push(bytes.subarray(last, at))
  }
  for (const field of readProtobufFields(bytes, start, end)) {
    close(field.at)
    last = field.at
    lastIsUnknown = message[field.number] === undefined
    if (lastIsUnknown) continue
    const others = fields.get(field.number)
    if (others === undefined) fields.set(field.number, [field])
    else if (message[field.number]?.isList === true) others.push(field)
    // Of messages the parts would have to be merged, and no sender cuts them.
    else throw new FormatError('protobuf', field.at, `expected the field ${field.number} once`)
  }
  close(end)
  let separator = '{'
  for (const [number, found] of fields) {
    const described = message[number]
    if (described === undefined) continue
    yield `${separator}${JSON.stringify(described.name)}:${described.isList === true ? '[' : ''}`
    separator = ','
    for (const [index, field] of found.entries()) {
      if (index > 0) yield ','
      yield* writeValue(bytes, field, described.of, level)
    }
    if (described.isList === true) yield ']'
  }
  if (unknown.length > 0) yield `${separator}"_unknown":"${Buffer.concat(unknown).toString('base64')}"`
  yield separator === '{' && unknown.length === 0 ? '{}' : '}'
}

function* writeValue(
  bytes: Buffer,
  field: ProtobufField,
  of: ProtobufType | (() => ProtobufMessage),
  level: number,
): Generator<string, void, undefined> {
  if (typeof of === 'function') {
    if (field.wire !== 'bytes') throw otherType(field)
    yield* writeMessage(bytes, field.start, field.end, of(), level + 1)
    return
  }
  yield writeScalar(bytes, field, of)
}

const writeScalar = (bytes: Buffer, field: ProtobufField, of: ProtobufType): string => {
  if (field.wire === 'bytes') {
    const value = bytes.subarray(field.start, field.end)
    if (of === 'base64' || of === 'hex') return `"${value.toString(of)}"`
    if (of !== 'text') throw otherType(field)
    if (!isUtf8(value)) throw new FormatError('protobuf', field.start, 'expected UTF-8')
    return JSON.stringify(value.toString('utf8'))
  }
  if (field.wire === 'varint') {
    if (of === 'boolean') return String(field.value !== 0n)
    if (of === 'uint32') return String(BigInt.asUintN(32, field.value))
    if (of === 'int64') return `"${BigInt.asIntN(64, field.value)}"`
  }
  if (field.wire === 'fixed32' && of === 'fixed32') return String(field.value)
  if (field.wire === 'fixed64') {
    if (of === 'fixed64') return `"${field.value}"`
    if (of === 'double') return writeDouble(field.value)
  }
  throw otherType(field)
}

const writeDouble = (bits: bigint): string => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, bits)
  const value = view.getFloat64(0)
  if (!Number.isFinite(value)) return `"${value}"`
  return Object.is(value, -0) ? '-0.0' : JSON.stringify(value)
}

const otherType = ({ at, number, wire }: ProtobufField): FormatError =>
  new FormatError('protobuf', at, `expected the field ${number} in another type than ${wire}`)
