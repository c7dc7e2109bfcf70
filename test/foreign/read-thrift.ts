import { createRequire } from 'node:module'
import type { FoundEvent } from './found-event.ts'

/** As far as it is called here: the package `thrift` has no types. */
type Thrift = {
  readonly TFramedTransport: new (bytes: Buffer) => Transport
  readonly TBinaryProtocol: new (transport: Transport) => Protocol
  readonly Thrift: { readonly Type: Readonly<Record<string, number>> }
  toBigInt(value: unknown): bigint
}
type Transport = { readonly inBuf: Buffer; readonly readPos: number }
type Protocol = {
  readFieldBegin(): { readonly ftype: number; readonly fid: number }
  readBool(): boolean
  readByte(): number
  readI16(): number
  readI32(): number
  readI64(): unknown
  readDouble(): number
  readBinary(): Buffer
  readString(): Buffer | string
}

const thrift = createRequire(import.meta.url)('thrift') as Thrift
const type = thrift.Thrift.Type
const separator = 0x0a

/** A `.thrift` file, read by Apache Thrift's library: a separator, date, granularity and envelope for each event. */
export const readThrift = (bytes: Uint8Array): readonly FoundEvent[] => {
  const events: FoundEvent[] = []
  const transport = new thrift.TFramedTransport(Buffer.from(bytes))
  const protocol = new thrift.TBinaryProtocol(transport)
  while (transport.readPos < bytes.length) {
    const first = protocol.readByte()
    if (first !== separator) throw new Error(`Byte ${transport.readPos - 1} is ${first}, not the separator`)
    const eventDate = thrift.toBigInt(protocol.readI64())
    const eventGranularity = protocol.readString().toString()
    const envelope = new Map(readStruct(protocol))
    const [name, payload] = [envelope.get(0), envelope.get(1)]
    if (!Buffer.isBuffer(name) || !Buffer.isBuffer(payload)) throw new Error('An envelope lacks its name or payload')
    const fields = readStruct(new thrift.TBinaryProtocol(new thrift.TFramedTransport(payload)))
    events.push({
      name: name.toString(),
      fields: [
        ...Object.entries({ eventDate, eventGranularity }),
        ...fields.map(([id, value]) => [String(id), Buffer.isBuffer(value) ? value.toString() : value] as const),
      ],
    })
  }
  return events
}

const readStruct = (protocol: Protocol): readonly (readonly [id: number, value: unknown])[] => {
  const fields: (readonly [number, unknown])[] = []
  for (;;) {
    const { ftype, fid } = protocol.readFieldBegin()
    if (ftype === type['STOP']) return fields
    fields.push([fid, readValue(protocol, ftype)])
  }
}

const readValue = (protocol: Protocol, ftype: number): unknown => {
  switch (ftype) {
    case type['BOOL']:
      return protocol.readBool()
    case type['BYTE']:
      return protocol.readByte()
    case type['I16']:
      return protocol.readI16()
    case type['I32']:
      return protocol.readI32()
    case type['I64']:
      return thrift.toBigInt(protocol.readI64())
    case type['DOUBLE']:
      return protocol.readDouble()
    case type['STRING']:
      return protocol.readBinary()
    default:
      throw new Error(`No event of the tests has a field of type ${ftype}`)
  }
}
