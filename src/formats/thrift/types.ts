/**
 * Wire types of Thrift's binary protocol, as far as events and Scribe use them. Integers are big-endian two's
 * complement; a struct is `type (1) id (2) value` per field and ends with one byte {@link thriftType}.stop.
 */
export const thriftType = {
  stop: 0,
  bool: 2,
  byte: 3,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  /** Text and binary alike: the wire does not distinguish them. */
  string: 11,
  struct: 12,
  map: 13,
  set: 14,
  list: 15,
} as const

/**
 * One field of an event: ids are −32768 to 32767 and need neither ascend nor be distinct. Strings stay the bytes that
 * were sent (see `toText`), 64-bit integers stay exact.
 */
export type ThriftField =
  | { readonly id: number; readonly type: typeof thriftType.bool; readonly value: boolean }
  | { readonly id: number; readonly type: typeof thriftType.byte; readonly value: number }
  | { readonly id: number; readonly type: typeof thriftType.double; readonly value: number }
  | { readonly id: number; readonly type: typeof thriftType.i16; readonly value: number }
  | { readonly id: number; readonly type: typeof thriftType.i32; readonly value: number }
  | { readonly id: number; readonly type: typeof thriftType.i64; readonly value: bigint }
  | { readonly id: number; readonly type: typeof thriftType.string; readonly value: Uint8Array }

/** Bytes of a value whose type alone decides them; 0 for all other types. */
export const fixedBytes = (type: number): number => {
  switch (type) {
    case thriftType.bool:
    case thriftType.byte:
      return 1
    case thriftType.i16:
      return 2
    case thriftType.i32:
      return 4
    case thriftType.i64:
    case thriftType.double:
      return 8
    default:
      return 0
  }
}

const names = new Map<number, string>(Object.entries(thriftType).map(([name, type]) => [type, name]))

/** A wire type for people: `map (13)`, `unknown type 7`. */
export const toTypeName = (type: number): string => {
  const name = names.get(type)
  return name === undefined ? `unknown type ${type}` : `${name} (${type})`
}
