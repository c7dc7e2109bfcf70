import { connect, type Socket } from 'node:net'
import type { Answer } from './answers.ts'
import type { Requests } from './requests.ts'

/** What becomes of a request. */
export type Outcomes = {
  /**
   * @param dueAt ms of `performance.now()`
   * @param isFirst whether it is the first answer of its connection, which the server had to accept before
   */
  answered(event: number, status: number, dueAt: number, isFirst: boolean): void
  /** The connection ended before its answer. */
  lost(): void
}

/** What connections of one run share. */
export type ConnectionParts = {
  readonly port: number
  readonly requests: Requests
  readonly readAnswer: (bytes: Buffer, start: number) => Answer | undefined
  readonly outcomes: Outcomes
}

/** One connection that sends requests whether or not answers came; opens itself again when it is closed. */
export class Connection {
  readonly #parts: ConnectionParts
  #socket: Socket | undefined
  #isOpen = false
  #isOver = false
  #isFresh = true
  #renews = false
  #partial: Buffer | undefined
  /** Event and due time in turn, oldest first. */
  #waiting: number[] = []
  #first = 0
  /** Connections opened after the first. */
  reopened = 0
  /** Called when the connection has opened, and after every answer. */
  onReady: (() => void) | undefined

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.#open()
  }

  /** Requests without an answer. */
  get outstanding(): number {
    return (this.#waiting.length - this.#first) / 2
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Sends the requests for so many events with one write. */
  send(firstEvent: number, count: number, dueAt: number): void {
    const { requests } = this.#parts
    const bytes = Buffer.allocUnsafe(requests.length * count)
    for (let i = 0; i < count; i++) {
      requests.write(firstEvent + i, bytes, i * requests.length)
      this.#waiting.push(firstEvent + i, dueAt)
    }
    this.#socket?.write(bytes)
  }

  /** Ends this connection when its answers have come, and opens the next. */
  renew(): void {
    if (this.outstanding > 0) this.#renews = true
    else this.#socket?.destroy()
    this.#isOpen = false
  }

  close(): void {
    this.#isOver = true
    this.#socket?.destroy()
  }

  #open(): void {
    const socket = connect({
      host: '127.0.0.1',
      port: this.#parts.port,
      noDelay: true,
      onread: { buffer: shared, callback: length => this.#read(length) },
    })
    this.#socket = socket
    this.#isFresh = true
    this.#renews = false
    socket.once('connect', () => {
      this.#isOpen = true
      this.onReady?.()
    })
    socket.once('error', () => socket.destroy())
    socket.once('close', () => {
      this.#isOpen = false
      this.#partial = undefined
      for (let i = this.#first; i < this.#waiting.length; i += 2) this.#parts.outcomes.lost()
      this.#waiting = []
      this.#first = 0
      if (this.#isOver) return
      this.reopened++
      this.#open()
    })
  }

  #read(length: number): boolean {
    const chunk = shared.subarray(0, length)
    const bytes = this.#partial === undefined ? chunk : Buffer.concat([this.#partial, chunk])
    let start = 0
    for (;;) {
      const answer = this.#parts.readAnswer(bytes, start)
      if (answer === undefined) break
      start = answer.end
      const [event, dueAt] = [this.#waiting[this.#first] ?? 0, this.#waiting[this.#first + 1] ?? 0]
      this.#first += 2
      if (this.#first === this.#waiting.length) {
        this.#waiting.length = 0
        this.#first = 0
      }
      if (answer.closes) this.#isOpen = false
      this.#parts.outcomes.answered(event, answer.status, dueAt, this.#isFresh)
      this.#isFresh = false
    }
    this.#partial = start < bytes.length ? Buffer.from(bytes.subarray(start)) : undefined
    if (this.#renews && this.outstanding === 0) this.#socket?.destroy()
    this.onReady?.()
    return true
  }
}

/** Read and done with before the next one: all connections share it. */
const shared = Buffer.allocUnsafe(65_536)
