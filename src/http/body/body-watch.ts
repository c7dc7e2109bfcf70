import { startTimeout } from '../../runtime/timers.ts'
import type { BodyPace } from '../limits.ts'

/** Watches how fast a body arrives, while it is read. */
export class BodyWatch {
  readonly #pace: BodyPace
  readonly #onSlow: (sentence: string) => void
  #idle: NodeJS.Timeout | undefined
  #window: NodeJS.Timeout | undefined
  #bytes = 0

  /** @param onSlow called once, with a text, when it arrives too slowly */
  constructor(pace: BodyPace, onSlow: (sentence: string) => void) {
    this.#pace = pace
    this.#onSlow = onSlow
    this.start()
  }

  arrived(bytes: number): void {
    this.#bytes += bytes
    this.#idle?.refresh()
  }

  /** It is read, again or for the first time. */
  start(): void {
    const { bodyIdleMs, bodyWindowMs, bodyWindowBytes } = this.#pace
    this.stop()
    this.#bytes = 0
    this.#idle = startTimeout(() => this.#fail(`no byte came for ${bodyIdleMs} ms`), bodyIdleMs)
    this.#window = startTimeout(() => {
      if (this.#bytes < bodyWindowBytes) this.#fail(`fewer than ${bodyWindowBytes} bytes came in ${bodyWindowMs} ms`)
      this.#bytes = 0
      this.#window?.refresh()
    }, bodyWindowMs)
  }

  /** It is not read, or has ended. */
  stop(): void {
    clearTimeout(this.#idle)
    clearTimeout(this.#window)
    // One that is stopped would begin again when it is refreshed.
    this.#idle = undefined
    this.#window = undefined
  }

  #fail(sentence: string): void {
    this.stop()
    this.#onSlow(sentence)
  }
}
