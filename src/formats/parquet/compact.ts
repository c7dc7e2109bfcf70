/**
 * Thrift's compact protocol, in which Parquet writes footers and page headers:
 *
 *     struct   ( field value )* 00
 *     field    delta:4 type:4; a delta of 0 is followed by the id as a zigzag varint
 *     type     1 true, 2 false, 3 i8 (one byte), 4 i16, 5 i32, 6 i64 (zigzag varints), 7 double (8 bytes),
 *              8 binary (varint length, bytes), 9 list, 10 set, 11 map, 12 struct, 13 uuid (16 bytes)
 *     list     size:4 type:4; a size of 15 is followed by a varint; booleans take a byte each
 *     map      varint size; unless it is 0: key:4 value:4, then the entries
 */
import type { Buffer } from 'node:buffer'
import { ByteReader } from '../byte-reader.ts'

const types = { true: 1, false: 2, i8: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8 } as const
const nested = { list: 9, set: 10, map: 11, struct: 12, uuid: 13 } as const

/** Deepest nesting of what is skipped; the formats themselves need a tenth of it. */
const maxNesting = 64

/**
 * Reads structs. The getters take the wire type of a field and consume nothing where it is another one than expected, and
 * give undefined: {@link CompactReader.fields} skips what was not consumed, so odd fields do no harm.
 * Every method throws FormatError `parquet` where the bytes end.
 */
export class CompactReader extends ByteReader {
  readonly #bytes: Buffer

  /** @param base offset of the bytes in the file, for errors */
  constructor(bytes: Buffer, base = 0) {
    super(bytes, 'parquet', base)
    this.#bytes = bytes
  }

  /** Calls `visit` for each field of the struct that begins here. */
  fields(visit: (id: number, type: number) => void, nesting = 0): void {
    if (nesting > maxNesting) throw this.fault(`expected at most ${maxNesting} levels`)
    for (let id = 0; ; ) {
      const head = this.byte()
      if (head === 0) return
      const type = head & 15
      id = head >> 4 === 0 ? Number(this.zigzag()) : id + (head >> 4)
      const start = this.position
      visit(id, type)
      if (this.position === start) this.skip(type, nesting)
    }
  }

  boolean(type: number): boolean | undefined {
    return type === types.true ? true : type === types.false ? false : undefined
  }

  /** An integer; beyond 2^53 the nearest double. */
  integer(type: number): number | undefined {
    if (type === types.i8) return (this.byte() << 24) >> 24
    return type === types.i16 || type === types.i32 || type === types.i64 ? Number(this.zigzag()) : undefined
  }

  /** A view of the bytes. */
  binary(type: number): Buffer | undefined {
    if (type !== types.binary) return undefined
    const length = this.varint()
    return this.#bytes.subarray(this.take(length), this.position)
  }

  text(type: number): string | undefined {
    return this.binary(type)?.toString('utf8')
  }

  struct(type: number, visit: (id: number, type: number) => void): boolean {
    if (type !== nested.struct) return false
    this.fields(visit)
    return true
  }

  /** @param item receives the type of each item; one that it does not consume is skipped */
  list(type: number, item: (type: number) => void): boolean {
    if (type !== nested.list && type !== nested.set) return false
    const [size, itemType] = this.#listHead()
    for (let left = size; left > 0; left--) {
      const start = this.position
      item(itemType)
      if (this.position === start) this.#skipItem(itemType, 0)
    }
    return true
  }

  /** Goes over a value of that type. */
  skip(type: number, nesting = 0): void {
    if (nesting > maxNesting) throw this.fault(`expected at most ${maxNesting} levels`)
    switch (type) {
      case types.true:
      case types.false:
        return
      case types.i8:
        this.take(1)
        return
      case types.i16:
      case types.i32:
      case types.i64:
        this.varint()
        return
      case types.double:
        this.take(8)
        return
      case types.binary:
        this.take(this.varint())
        return
      case nested.uuid:
        this.take(16)
        return
      case nested.struct:
        this.fields(() => {}, nesting + 1)
        return
      case nested.list:
      case nested.set: {
        const [size, itemType] = this.#listHead()
        for (let left = size; left > 0; left--) this.#skipItem(itemType, nesting + 1)
        return
      }
      case nested.map: {
        const size = this.varint()
        const kinds = size === 0 ? 0 : this.byte()
        for (let left = size; left > 0; left--) {
          this.#skipItem(kinds >> 4, nesting + 1)
          this.#skipItem(kinds & 15, nesting + 1)
        }
        return
      }
      default:
        throw this.fault(`expected a type of Thrift from 1 to 13, found ${type}`)
    }
  }

  #skipItem(type: number, nesting: number): void {
    // Outside of fields a boolean is a byte.
    if (type === types.true || type === types.false) this.take(1)
    else this.skip(type, nesting)
  }

  #listHead(): readonly [size: number, type: number] {
    const head = this.byte()
    const short = head >> 4
    return [short === 15 ? this.varint() : short, head & 15]
  }
}
