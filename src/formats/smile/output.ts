import { Buffer } from 'node:buffer'
import { pack, packedLength } from './packed.ts'

/** Small enough for the pool of buffers: most documents of one event fit. */
const firstCapacity = 1_024

/** Up to this length a loop is faster than a call into native code. */
const maxLoopLength = 48

/** Smile's primitives, written one after another into a buffer that grows. Callers make room first, by {@link SmileOutput.reserve}. */
export class SmileOutput {
  bytes = Buffer.allocUnsafe(firstCapacity)
  /** Bytes written so far. */
  length = 0

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
  }

  byte(value: number): void {
    this.bytes[this.length] = value
    this.length += 1
  }

  /** An unsigned VInt below 2^53; at most 9 bytes. */
  vint(value: number): void {
    let unit = 64
    while (value / unit >= 1) unit *= 128
    for (; unit > 64; unit /= 128) this.byte(Math.floor((value / unit) * 128) & 0x7f)
    this.byte(0x80 | (value & 0x3f))
  }

  /** A 32-bit integer in zigzag; at most 5 bytes. */
  int32(value: number): void {
    const zigzag = (value << 1) ^ (value >> 31)
    if (zigzag >>> 6 !== 0) {
      if (zigzag >>> 13 !== 0) {
        if (zigzag >>> 20 !== 0) {
          if (zigzag >>> 27 !== 0) this.byte(zigzag >>> 27)
          this.byte((zigzag >>> 20) & 0x7f)
        }
        this.byte((zigzag >>> 13) & 0x7f)
      }
      this.byte((zigzag >>> 6) & 0x7f)
    }
    this.byte(0x80 | (zigzag & 0x3f))
  }

  /** A 64-bit integer that does not fit 32 bits, in two halves of 32 bits, in zigzag; 5 to 10 bytes. */
  int64(high: number, low: number): void {
    const sign = high >> 31
    const top = ((high << 1) | (low >>> 31)) ^ sign
    const rest = (low << 1) ^ sign
    let shift = 30
    while (shift >= 2 && top >>> shift === 0) shift -= 7
    for (; shift >= 2; shift -= 7) this.byte((top >>> shift) & 0x7f)
    this.byte(((rest >>> 27) | (top << 5)) & 0x7f)
    this.byte((rest >>> 20) & 0x7f)
    this.byte((rest >>> 13) & 0x7f)
    this.byte((rest >>> 6) & 0x7f)
    this.byte(0x80 | (rest & 0x3f))
  }

  float(value: number): void {
    ieee.setFloat32(0, value)
    // An arithmetic shift, as Jackson's: the sign fills the unused bits of the first byte.
    const bits = ieee.getInt32(0)
    for (let shift = 28; shift >= 0; shift -= 7) this.byte((bits >> shift) & 0x7f)
  }

  double(value: number): void {
    ieee.setFloat64(0, value)
    const high = ieee.getUint32(0)
    const low = ieee.getUint32(4)
    this.byte(high >>> 31)
    for (let shift = 24; shift >= 3; shift -= 7) this.byte((high >>> shift) & 0x7f)
    this.byte(((high << 4) | (low >>> 28)) & 0x7f)
    for (let shift = 21; shift >= 0; shift -= 7) this.byte((low >>> shift) & 0x7f)
  }

  /** The length as a VInt, and the bytes packed; needs room for the VInt. */
  packed(raw: Uint8Array): void {
    this.vint(raw.length)
    this.reserve(packedLength(raw.length))
    pack(raw, byte => this.byte(byte))
  }

  raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Writes text as UTF-8 and returns its bytes; -1 for a lone surrogate. Needs room for 3 bytes a character. */
  utf8(text: string): number {
    const { length } = text
    if (length > maxLoopLength) return this.#native(text)
    const { bytes } = this
    let at = this.length
    for (let i = 0; i < length; i += 1) {
      const code = text.charCodeAt(i)
      if (code >= 0x80) return this.#native(text)
      bytes[at] = code
      at += 1
    }
    this.length = at
    return length
  }

  #native(text: string): number {
    const count = this.bytes.write(text, this.length, 'utf8')
    if (count !== text.length && !text.isWellFormed()) return -1
    this.length += count
    return count
  }
}

const ieee = new DataView(new ArrayBuffer(8))
