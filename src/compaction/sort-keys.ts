/** What rows are sorted by, and where each ends among bytes that follow one another. */
export class SortKeys {
  #keys = new Float64Array(1_024)
  #ends = new Float64Array(1_024)
  #isSorted = true
  count = 0

  add(key: number, end: number): void {
    if (this.count === this.#keys.length) {
      this.#keys = toLarger(this.#keys)
      this.#ends = toLarger(this.#ends)
    }
    if (this.count > 0 && key < this.keyOf(this.count - 1)) this.#isSorted = false
    this.#keys[this.count] = key
    this.#ends[this.count++] = end
  }

  /** Bytes that this takes, and their order will. */
  get bytes(): number {
    return this.count * 20
  }

  keyOf(row: number): number {
    return this.#keys[row] as number
  }

  startOf(row: number): number {
    return row === 0 ? 0 : (this.#ends[row - 1] as number)
  }

  endOf(row: number): number {
    return this.#ends[row] as number
  }

  /** Numbers of rows, that of the least key first. */
  order(): Uint32Array {
    const order = Uint32Array.from({ length: this.count }, (_, i) => i)
    return this.#isSorted ? order : order.sort((a, b) => this.keyOf(a) - this.keyOf(b) || a - b)
  }

  clear(): void {
    this.count = 0
    this.#isSorted = true
  }
}

const toLarger = (numbers: Float64Array): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(2 * numbers.length)
  larger.set(numbers)
  return larger
}
