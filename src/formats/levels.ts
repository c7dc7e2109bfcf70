/** Which of the arrays and objects that are open, one within the other, are objects: a bit each. */
export class Levels {
  #bits = new Uint8Array(16)
  depth = 0
  /** Whether the innermost one is an object; false where nothing is open. */
  isObject = false

  push(isObject: boolean): void {
    const index = this.depth >> 3
    if (index >= this.#bits.length) {
      const grown = new Uint8Array(2 * this.#bits.length)
      grown.set(this.#bits)
      this.#bits = grown
    }
    const bit = 1 << (this.depth & 7)
    const byte = this.#bits[index] as number
    this.#bits[index] = isObject ? byte | bit : byte & ~bit
    this.depth++
    this.isObject = isObject
  }

  clear(): void {
    this.depth = 0
    this.isObject = false
  }

  pop(): void {
    const level = --this.depth - 1
    this.isObject = level >= 0 && ((this.#bits[level >> 3] as number) & (1 << (level & 7))) !== 0
  }
}
