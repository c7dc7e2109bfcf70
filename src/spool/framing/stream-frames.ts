import { type Frame, frameAt, frameBytesIn } from './framing.ts'

/**
 * As `readFrames`, of a file in pieces: the frames that each piece completes, to be gone through once. No more of it is held
 * than a frame and a piece, in memory that is used again: a frame is good until the next ones are asked for. Those who
 * read it get their turns of the event loop between two pieces.
 */
export async function* streamFrames(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<Frame>, number> {
  const window = new FrameWindow()
  for await (const piece of pieces) {
    window.add(piece)
    if (!window.isReady) continue
    yield window
    // It is all there, and yet no frame.
    if (!window.needsMore()) break
  }
  return window.offset
}

/** The part of a file that is searched for frames. */
class FrameWindow implements Iterable<Frame> {
  #bytes = new Uint8Array()
  /** Where the bytes begin and end that no frame was found in yet. */
  #from = 0
  #to = 0
  /** As many have to be there to decide whether they begin with a frame. */
  #wanted = 1
  /** Where the memory begins in the file. */
  #base = 0

  /** Where the next frame would begin. */
  get offset(): number {
    return this.#base + this.#from
  }

  get isReady(): boolean {
    return this.#to - this.#from >= this.#wanted
  }

  /** The piece is copied: whose it is may use it again. */
  add(piece: Uint8Array): void {
    const left = this.#to - this.#from
    const needed = left + piece.length
    const old = this.#bytes
    // A frame longer than a piece grows as it arrives: its length may be damaged, and none has vouched for it.
    const isSmall = needed > old.length
    const isLarge = old.length > 4 * Math.max(needed, 2 * piece.length)
    if (isSmall || isLarge) {
      this.#bytes = new Uint8Array(2 * needed)
      this.#bytes.set(old.subarray(this.#from, this.#to))
    } else if (this.#from > 0) old.copyWithin(0, this.#from, this.#to)
    this.#bytes.set(piece, left)
    this.#base += this.#from
    this.#from = 0
    this.#to = needed
  }

  *[Symbol.iterator](): Iterator<Frame> {
    for (let frame = this.#next(); frame; frame = this.#next()) yield frame
  }

  /** Skips the frames that were not asked for. @returns whether there may be one after them when more is there */
  needsMore(): boolean {
    while (this.#next()) {}
    this.#wanted = frameBytesIn(this.#bytes, this.#from, this.#to)
    return !this.isReady
  }

  #next(): Frame | undefined {
    const frame = frameAt(this.#bytes, this.#from, this.#to, this.#base)
    if (frame) this.#from = frame.end - this.#base
    return frame
  }
}
