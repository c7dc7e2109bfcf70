/**
 * Messages of Protocol Buffers, each declared as a table of its fields, from which its type follows:
 *
 *     const Block = message('BlockProto', { blockId: required(1, uint64), numBytes: optional(3, count64) })
 *
 *     message   tag value tag value …
 *     tag       varint: number of the field × 8 + wire type
 *
 * Fields that a table does not have are skipped: those of later versions, and those without a use here. Nesting is as
 * deep as the tables are, and no more; lists are bounded.
 */
import type { FieldType } from './field-types.ts'
import { ProtobufReader } from './reader.ts'
import { ProtobufWriter } from './writer.ts'

/** Of one list: a cluster names fewer blocks of one file. */
const maxEntries = 1_000_000

type Label = 'required' | 'optional' | 'repeated'

type Field<L extends Label = Label, T = unknown> = {
  readonly label: L
  readonly number: number
  readonly type: FieldType<T>
}

/** The fields of a message by their names. */
export type Fields = Readonly<Record<string, Field>>

type TypeOf<F> = F extends Field<Label, infer T> ? T : never
type NamesOf<F extends Fields, L extends Label> = {
  [Name in keyof F]: F[Name]['label'] extends L ? Name : never
}[keyof F]

/** What a message with such fields says. */
export type ValueOf<F extends Fields> = {
  readonly [Name in NamesOf<F, 'required'>]: TypeOf<F[Name]>
} & { readonly [Name in NamesOf<F, 'repeated'>]: readonly TypeOf<F[Name]>[] } & {
  readonly [Name in NamesOf<F, 'optional'>]?: TypeOf<F[Name]> | undefined
}

/** A message; also the type of a field that holds one. */
export type MessageType<V> = FieldType<V> & {
  readonly name: string
  readonly encode: (value: V) => Buffer
  /** @throws FormatError `protobuf`: it is damaged, or a required field is missing */
  readonly decode: (bytes: Uint8Array) => V
}

/** What a declared message says. */
export type Of<M> = M extends MessageType<infer V> ? V : never

export const required = <T>(number: number, type: FieldType<T>): Field<'required', T> => ({
  label: 'required',
  number,
  type,
})
export const optional = <T>(number: number, type: FieldType<T>): Field<'optional', T> => ({
  label: 'optional',
  number,
  type,
})
export const repeated = <T>(number: number, type: FieldType<T>): Field<'repeated', T> => ({
  label: 'repeated',
  number,
  type,
})

/** Declares a message. */
export const message = <F extends Fields>(name: string, fields: F): MessageType<ValueOf<F>> => {
  const all = Object.entries(fields).map(([key, field]) => ({ key, ...field }))
  const byNumber: (typeof all)[number][] = []
  for (const field of all) byNumber[field.number] = field
  /** A copy of it is made faster than its fields are added one by one. */
  const blank = Object.fromEntries(all.map(({ key }) => [key, undefined]))
  const lists = all.filter(({ label }) => label === 'repeated').map(({ key }) => key)
  const needed = all.filter(({ label }) => label === 'required').map(({ key }) => key)

  const readFields = (reader: ProtobufReader): ValueOf<F> => {
    const value: Record<string, unknown> = { ...blank }
    for (const key of lists) value[key] = []
    while (reader.at < reader.end) {
      reader.message = name
      reader.field = undefined
      const tag = reader.varint()
      const field = byNumber[Math.floor(tag / 8)]
      if (field) readField(reader, field, tag % 8, value)
      else if (tag < 8) reader.fail('expected the number of a field')
      else reader.skipField(tag % 8)
    }
    for (const key of needed) {
      if (value[key] !== undefined) continue
      reader.message = name
      reader.field = key
      reader.fail('expected a value')
    }
    // Each value was read by the type of its field, and no required one is missing.
    return value as ValueOf<F>
  }

  const writeFields = (writer: ProtobufWriter, value: Readonly<Record<string, unknown>>): void => {
    for (const { key, number, type, label } of all) {
      const given = value[key]
      if (given === undefined) continue
      const tag = number * 8 + type.wire
      for (const one of label === 'repeated' && Array.isArray(given) ? given : [given]) {
        writer.varint(tag)
        type.write(writer, one)
      }
    }
  }

  const encode = (value: ValueOf<F>): Buffer => {
    const writer = new ProtobufWriter()
    writeFields(writer, value)
    return writer.take()
  }

  return {
    name,
    wire: 2,
    encode,
    decode: bytes => readFields(new ProtobufReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))),
    write: (writer, value) => writer.delimited(encode(value)),
    read: reader => {
      const { end } = reader
      const length = reader.varint()
      reader.end = reader.skip(length) + length
      reader.at -= length
      const value = readFields(reader)
      reader.end = end
      return value
    },
  }
}

const readField = (
  reader: ProtobufReader,
  { key, label, type }: Field & { readonly key: string },
  wire: number,
  value: Record<string, unknown>,
): void => {
  reader.field = key
  const list = value[key]
  if (wire === type.wire) {
    if (label === 'repeated' && Array.isArray(list)) addTo(list, reader, type)
    else value[key] = type.read(reader)
    return
  }
  // Numbers of a list may be packed, whatever the table says.
  if (wire !== 2 || label !== 'repeated' || !Array.isArray(list)) {
    reader.fail(`expected the wire type ${type.wire}, found ${wire}`)
  }
  const { end } = reader
  const length = reader.varint()
  reader.end = reader.skip(length) + length
  reader.at -= length
  while (reader.at < reader.end) addTo(list, reader, type)
  reader.end = end
}

const addTo = (list: unknown[], reader: ProtobufReader, type: FieldType<unknown>): void => {
  if (list.length === maxEntries) reader.fail(`expected at most ${maxEntries} of them`)
  list.push(type.read(reader))
}

/** One message after another, each after its length. */
export const delimited = (...messages: readonly Uint8Array[]): Buffer => {
  const writer = new ProtobufWriter()
  for (const one of messages) writer.delimited(one)
  return writer.take()
}
