import { createHash } from 'node:crypto'

/** Counts records, and makes a checksum of their bytes: the same for the same records in the same order, however they are cut. */
export class RecordTally {
  readonly #hash = createHash('sha256')
  rows = 0

  add(bytes: Uint8Array, rows: number): void {
    this.#hash.update(bytes)
    this.rows += rows
  }

  /** Once, at the end. */
  checksum(): string {
    return this.#hash.digest('hex')
  }
}
