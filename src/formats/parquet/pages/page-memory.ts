/** Memory for pages, counted before it is allocated: a footer may say less than its pages unfold into. */
import { LimitError, SluiceError } from '../../../errors.ts'
import type { Limit } from '../../budget.ts'

/** Memory for the pages, and the large windows, of all files that a process reads at once. */
export class PageMemory {
  readonly #limit: Limit
  #used = 0

  /** @param limit for all files, in bytes; half of it is for one of them */
  constructor(limit: Limit = { max: 256 * 1024 * 1024 }) {
    this.#limit = limit
  }

  /** Bytes that are held now. */
  get used(): number {
    return this.#used
  }

  /** A share for one file. */
  open(): FileMemory {
    return new FileMemory(this)
  }

  /** Whether this many more bytes leave half of the memory to other pages. @see FileMemory */
  fits(bytes: number, ofFile: number): boolean {
    return ofFile <= this.#limit.max / 4 && this.#used + bytes <= this.#limit.max / 2
  }

  /** @throws LimitError, SluiceError `overloaded`. @see FileMemory */
  add(bytes: number, ofFile: number, base: number): void {
    const { max, setting } = this.#limit
    const most = Math.floor(max / 2)
    const source = setting === undefined ? '' : `, a quarter of ${setting}`
    if (ofFile > most) {
      const message = `expected pages that take at most ${most} bytes of memory at once${source}, found ${ofFile};`
      throw new LimitError('parquet', base, message)
    }
    if (bytes > 0 && this.#used + bytes > max) {
      throw new SluiceError(
        'overloaded',
        `Reads in progress hold ${this.#used} bytes of pages and windows; retry later`,
      )
    }
    this.#used += bytes
  }
}

/** What the pages of one file hold, each in a place of its own. */
export class FileMemory {
  readonly #memory: PageMemory
  #held = 0

  constructor(memory: PageMemory) {
    this.#memory = memory
  }

  /** A place for one page after another. */
  place(): MemoryPlace {
    let held = 0
    return {
      fits: bytes => this.#memory.fits(bytes - held, this.#held + bytes - held),
      hold: (bytes, base) => {
        const more = bytes - held
        this.#memory.add(more, this.#held + more, base)
        this.#held += more
        held = bytes
      },
    }
  }

  /** Gives back everything; nothing of the file is read afterwards. */
  close(): void {
    this.#memory.add(-this.#held, 0, 0)
    this.#held = 0
  }
}

export type MemoryPlace = {
  /** Whether this many bytes may be kept here for speed alone: as much is left for other pages. */
  fits(bytes: number): boolean
  /**
   * Replaces what the place held before.
   * @param bytes that are about to be there
   * @param base offset of the page in the file, for errors
   * @throws LimitError the file takes too much; SluiceError `overloaded` all files together do
   */
  hold(bytes: number, base: number): void
}
