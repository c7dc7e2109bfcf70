import { Buffer } from 'node:buffer'

/** Bytes of a block: small, for each file that is being filled has at least one. */
export const blockBytes = 4 << 10

/** This many are made at once. */
const slabBlocks = 256

/** Memory for rows as received, in blocks that are used again for those of other files. */
export class HeldBlocks {
  readonly #free: Buffer[] = []

  take(): Buffer {
    if (this.#free.length === 0) {
      const slab = Buffer.allocUnsafeSlow(slabBlocks * blockBytes)
      for (let at = slab.length - blockBytes; at >= 0; at -= blockBytes) {
        this.#free.push(slab.subarray(at, at + blockBytes))
      }
    }
    return this.#free.pop() as Buffer
  }

  give(block: Buffer): void {
    this.#free.push(block)
  }
}
