import type { Protection } from './protection.ts'
import { StepQueue } from './turns-of-work.ts'

type Ways = {
  /** Takes what is sent in place of what was given. */
  readonly send: (sealed: Uint8Array) => void
  /** Takes what arrived, as it was before it was protected. */
  readonly receive: (opened: Buffer) => void
  readonly failed: (error: unknown) => void
}

/** The bytes of one connection while they are protected, or what protects them is taken off. */
export class ProtectedBytes {
  readonly #protection: Protection
  readonly #ways: Ways
  readonly #sealing = new StepQueue()
  readonly #opening = new StepQueue()
  #unsealed = 0
  #unopened = 0

  constructor(protection: Protection, ways: Ways) {
    this.#protection = protection
    this.#ways = ways
  }

  /** Bytes that wait to be protected. */
  get unsealed(): number {
    return this.#unsealed
  }

  /** Bytes that arrived, and wait. */
  get unopened(): number {
    return this.#unopened
  }

  /** @param done called when they are needed no more */
  seal(parts: readonly Uint8Array[], done: () => void): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    this.#unsealed += length
    const end = (): void => {
      this.#unsealed -= length
      done()
    }
    const { send, failed } = this.#ways
    this.#sealing.add(() => this.#protection.seal(parts), send, end, failed)
  }

  /** @param done called when they are needed no more */
  open(bytes: Buffer, done: () => void): void {
    this.#unopened += bytes.length
    const end = (): void => {
      this.#unopened -= bytes.length
      done()
    }
    const { receive, failed } = this.#ways
    const take = (one: Buffer | undefined): void => {
      if (one) receive(one)
    }
    this.#opening.add(() => this.#protection.open(bytes), take, end, failed)
  }

  /** Calls it when all that was given is sent, or is not wanted any more. */
  whenSealed(call: () => void): void {
    this.#sealing.whenIdle(call)
  }

  /** The same, when all that arrived is received. */
  whenOpened(call: () => void): void {
    this.#opening.whenIdle(call)
  }

  /** Nothing of it is wanted any more. */
  clear(): void {
    this.#sealing.clear()
    this.#opening.clear()
  }
}
