import { Buffer } from 'node:buffer'

/** Bytes of an id; all zero for a row without one. */
export const idBytes = 16

const noIds = Buffer.alloc(0)

/** What rows are sorted by, and where each ends among bytes that follow one another. */
export class SortKeys {
  #keys = new Float64Array(1_024)
  #ends = new Float64Array(1_024)
  /** Of rows that are sorted by their ids, too. */
  #ids: Buffer | undefined
  #isSorted = true
  count = 0

  constructor(hasIds = false) {
    if (hasIds) this.#ids = Buffer.alloc(idBytes * this.#keys.length)
  }

  /** @param id in base64url; none without */
  add(key: number, end: number, id = ''): void {
    const row = this.count
    if (row === this.#keys.length) {
      this.#keys = toLarger(this.#keys)
      this.#ends = toLarger(this.#ends)
      if (this.#ids) this.#ids = Buffer.concat([this.#ids], 2 * this.#ids.length)
    }
    this.#keys[row] = key
    this.#ends[row] = end
    if (this.#ids) {
      this.#ids.fill(0, row * idBytes, (row + 1) * idBytes)
      this.#ids.write(id, row * idBytes, idBytes, 'base64url')
    }
    this.count++
    if (this.#isSorted && row > 0 && this.#compare(row - 1, row) > 0) this.#isSorted = false
  }

  /** Bytes that this takes, and their order will. */
  get bytes(): number {
    return this.count * (this.#ids ? 20 + idBytes : 20)
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

  /** Ids of rows, one after another; none where they are not sorted by them. */
  get ids(): Buffer {
    return this.#ids ?? noIds
  }

  /** Undefined where rows are not sorted by it. */
  idOf(row: number): Buffer | undefined {
    return this.#ids?.subarray(row * idBytes, (row + 1) * idBytes)
  }

  /** Numbers of rows, that of the least key first. */
  order(): Uint32Array {
    const order = Uint32Array.from({ length: this.count }, (_, i) => i)
    return this.#isSorted ? order : order.sort((a, b) => this.#compare(a, b) || a - b)
  }

  clear(): void {
    this.count = 0
    this.#isSorted = true
  }

  #compare(a: number, b: number): number {
    return this.keyOf(a) - this.keyOf(b) || (this.#ids ? compareIds(this.#ids, a * idBytes, this.#ids, b * idBytes) : 0)
  }
}

/** Compares the ids that begin at two places. */
export const compareIds = (left: Buffer, leftAt: number, right: Buffer, rightAt: number): number =>
  left.compare(right, rightAt, rightAt + idBytes, leftAt, leftAt + idBytes)

const toLarger = (numbers: Float64Array): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(2 * numbers.length)
  larger.set(numbers)
  return larger
}
