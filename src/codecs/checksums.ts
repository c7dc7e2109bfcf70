/** xxHash of 32 bits (seed 0), which the frames of LZ4 carry, fed piece by piece. */
export class Xxh32 {
  readonly #lanes = Int32Array.of(prime1 + prime2, prime2, 0, -prime1)
  readonly #rest = new Uint8Array(16)
  #restLength = 0
  #total = 0

  update(bytes: Uint8Array): this {
    this.#total += bytes.length
    let at = 0
    if (this.#restLength > 0) {
      at = Math.min(16 - this.#restLength, bytes.length)
      this.#rest.set(bytes.subarray(0, at), this.#restLength)
      this.#restLength += at
      if (this.#restLength < 16) return this
      this.#stripe(new DataView(this.#rest.buffer), 0)
      this.#restLength = 0
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (; at + 16 <= bytes.length; at += 16) this.#stripe(view, at)
    this.#rest.set(bytes.subarray(at))
    this.#restLength = bytes.length - at
    return this
  }

  digest(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#lanes
    let hash = this.#total >= 16 ? rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18) : prime5
    hash = (hash + this.#total) | 0
    const view = new DataView(this.#rest.buffer)
    let at = 0
    for (; at + 4 <= this.#restLength; at += 4) {
      hash = Math.imul(rotate((hash + Math.imul(view.getInt32(at, true), prime3)) | 0, 17), prime4)
    }
    for (; at < this.#restLength; at++) {
      hash = Math.imul(rotate((hash + Math.imul(view.getUint8(at), prime5)) | 0, 11), prime1)
    }
    hash = Math.imul(hash ^ (hash >>> 15), prime2)
    hash = Math.imul(hash ^ (hash >>> 13), prime3)
    return (hash ^ (hash >>> 16)) >>> 0
  }

  #stripe(view: DataView, at: number): void {
    for (let lane = 0; lane < 4; lane++) {
      const mixed = ((this.#lanes[lane] ?? 0) + Math.imul(view.getInt32(at + 4 * lane, true), prime2)) | 0
      this.#lanes[lane] = Math.imul(rotate(mixed, 13), prime1)
    }
  }
}

const prime1 = 0x9e3779b1 | 0
const prime2 = 0x85ebca77 | 0
const prime3 = 0xc2b2ae3d | 0
const prime4 = 0x27d4eb2f | 0
const prime5 = 0x165667b1 | 0

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits))
