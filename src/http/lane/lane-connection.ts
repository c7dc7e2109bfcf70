import type { Socket } from 'node:net'
import { OutcomeUnknown, SluiceError, toResponse } from '../../errors.ts'
import { Deferred } from '../../runtime/deferred.ts'
import { toLogFields, traceOf } from '../../tracing/trace-context.ts'
import { FixedResponse } from '../answers/fixed-response.ts'
import type { CallAnswer } from '../call/answer.ts'
import { answerClientError } from '../edge/client-error.ts'
import { type AnswerLines, toAnswerLines, toFixedLines } from './answer-lines.ts'
import { BegunRequest } from './begun-request.ts'
import { LaneCall, type LaneEnd } from './lane-call.ts'
import type { LaneParts } from './lane-parts.ts'

/** A request with a larger body leaves the lane. */
const maxBodyBytes = 256 * 1024

/** The lane waits for this many pieces of a head: a client that sends it bit by bit is not in a hurry. */
const maxHeadPieces = 3

/** Requests of one connection that wait for their answers before more of them are read. */
const maxWaiting = 256

/**
 * Requests of all connections together that wait for their answers; beyond that one connection has fewer. An event of
 * another client waits for those before it: with eight times as many it waited for seconds.
 */
const maxAllWaiting = 2_048
const maxWaitingWhenMany = 2

/**
 * One connection on the lane. It answers whole requests for the lane's routes; the first bytes that are anything else,
 * and all that follow, go to `node:http` once the requests before them are answered. Nothing is refused here but by the
 * routes themselves.
 */
export class LaneConnection implements LaneEnd {
  readonly socket: Socket
  readonly #lane: LaneParts
  /** Requests whose answers are not written yet, oldest first. */
  #waiting: LaneCall[] = []
  readonly #begun: BegunRequest
  #headPieces = 0
  /** The check before the last time that bytes were received or sent. */
  #since: number
  #isNew = true
  #isPaused = false
  #isBlocked = false
  #isEnded = false
  #isLeaving = false
  #isReading = false
  #isFlushing = false
  /** An answer is to be the last one. */
  #closesSoon = false

  constructor(socket: Socket, lane: LaneParts) {
    this.socket = socket
    this.#lane = lane
    this.#begun = new BegunRequest(lane.held)
    this.#since = lane.looks
    lane.reading.begin(socket, this.#onData)
    socket.on('data', this.#onData).on('end', this.#onEnd).on('drain', this.#onDrain)
    socket.on('error', this.#onError).on('close', this.#onClose)
  }

  /** Whether a request has begun and is not answered. */
  get isBusy(): boolean {
    return this.#waiting.length > 0 || !this.#begun.isEmpty || this.socket.writableLength > 0
  }

  /** Once in a while: a slow connection is handed to `node:http`, which has timeouts for it; a silent one is closed. */
  look(): void {
    const { limits, looks } = this.#lane
    const silentMs = (looks - this.#since) * limits.checkEveryMs
    if (this.#isBlocked) {
      if (silentMs > limits.inactivityTimeoutMs) this.socket.destroy()
    } else if (this.#waiting.length > 0 || this.#isLeaving) return
    else if (!this.#begun.isEmpty) {
      if (looks > this.#since + 1) this.#leave(this.#begun.take())
    } else if (!this.#isNew) {
      if (silentMs > limits.keepAliveTimeoutMs) this.socket.destroySoon()
    } else if (silentMs > limits.inactivityTimeoutMs) this.socket.destroy()
    else if (silentMs > limits.headersTimeoutMs) answerClientError(nothingCame, this.socket)
  }

  readonly #onData = (bytes: Buffer): void => {
    const begun = this.#begun
    if (begun.isEmpty) {
      this.#since = this.#lane.looks
      this.#read(bytes)
    } else {
      this.#hold(bytes)
      if (begun.isWhole && !this.#isLeaving) this.#read(begun.take())
    }
  }

  #read(bytes: Buffer): void {
    const { parseHead, routes } = this.#lane
    this.#isReading = true
    for (let at = 0; at < bytes.length; ) {
      const parsed = parseHead(bytes, at)
      if (parsed === 'incomplete') {
        if (++this.#headPieces > maxHeadPieces) this.#leave(bytes.subarray(at))
        else this.#hold(bytes.subarray(at), 0)
        break
      }
      const route = parsed === 'other' ? undefined : routes(parsed.head.method, parsed.head.target)
      if (parsed === 'other' || route === undefined || parsed.head.contentLength > maxBodyBytes) {
        this.#leave(bytes.subarray(at))
        break
      }
      const { head, end: bodyAt } = parsed
      const end = bodyAt + head.contentLength
      if (end > bytes.length) {
        this.#hold(bytes.subarray(at), end - at)
        break
      }
      if (this.#waiting.length >= (this.#lane.waiting.count < maxAllWaiting ? maxWaiting : maxWaitingWhenMany)) {
        this.#pause()
        this.socket.unshift(bytes.subarray(at))
        break
      }
      this.#headPieces = 0
      this.#isNew = false
      this.#answer(new LaneCall(this, route, head, bytes.subarray(bodyAt, end)))
      at = end
    }
    this.#isReading = false
  }

  #hold(bytes: Buffer, neededBytes?: number): void {
    this.#begun.add(bytes, neededBytes)
    if (this.#begun.isTooMuch) this.#leave(this.#begun.take())
  }

  #answer(call: LaneCall): void {
    this.#waiting.push(call)
    this.#lane.waiting.count++
    if (this.#lane.onAnswered) call.begun = performance.now()
    let given: CallAnswer
    try {
      given = call.route(call)
    } catch (error) {
      this.failed(call, error)
      return
    }
    if (given instanceof Deferred) given.tell(call)
    else if (given instanceof Response) call.done(given)
    else {
      given.then(
        response => call.done(response),
        error => call.failed(error),
      )
    }
  }

  failed(call: LaneCall, error: unknown): void {
    if (!(error instanceof SluiceError || error instanceof OutcomeUnknown)) {
      const fields = { err: error, target: call.target, ...toLogFields(traceOf(call)) }
      this.#lane.logger.error(fields, 'request failed')
    }
    call.done(call.route.answerError?.(error, call) ?? toResponse(error))
  }

  answered(call: LaneCall, response: Response): void {
    if (response instanceof FixedResponse) this.#finish(call, toFixedLines(response))
    // A network error: no answer would be true.
    else if (response.type === 'error') this.socket.destroy()
    else {
      toAnswerLines(response).then(
        lines => this.#finish(call, lines),
        error => {
          this.#lane.logger.error({ err: error }, 'a response could not be written')
          this.socket.destroy()
        },
      )
    }
  }

  #finish(call: LaneCall, answer: AnswerLines): void {
    if (answer.closes) this.#closesSoon = true
    call.answer = answer
    if (this.#waiting.length === 1 && !this.#isReading) this.#flush()
    else if (!this.#isFlushing) {
      // Answers of one turn go out in one write.
      this.#isFlushing = true
      process.nextTick(this.#flush)
    }
  }

  /** Writes the answers that are next in line. */
  readonly #flush = (): void => {
    this.#isFlushing = false
    if (this.socket.destroyed) return
    const waiting = this.#waiting
    let text = ''
    let count = 0
    const isLast = (this.#lane.isDraining || this.#isEnded || this.#closesSoon) && !this.#isLeaving
    let closes = false
    const { onAnswered, toText } = this.#lane
    for (const call of waiting) {
      const { answer } = call
      if (answer === undefined) break
      onAnswered?.(call)
      count++
      closes = isLast && count === waiting.length
      text += toText(answer, closes)
    }
    if (count === 0) return
    this.#lane.waiting.count -= count
    if (count === waiting.length) this.#waiting = []
    else waiting.splice(0, count)
    this.#since = this.#lane.looks
    if (!this.socket.write(text, 'latin1')) {
      this.#isBlocked = true
      this.#pause()
    }
    if (closes) this.#close()
    else if (this.#isLeaving && this.#waiting.length === 0) this.#go()
    if (this.#isPaused) this.#resume()
  }

  /** The last answer has said so: later bytes are thrown away. */
  #close(): void {
    this.#lane.reading.end(this.socket)
    this.socket.off('data', this.#onData).resume()
    this.socket.destroySoon()
  }

  /** To `node:http`, with the unread bytes, as soon as the answers before them are written. */
  #leave(rest: Buffer): void {
    this.#isLeaving = true
    // The bytes go back at once: a socket that has some does not end, whatever its client says meanwhile.
    this.socket.off('data', this.#onData).pause()
    if (rest.length > 0) this.socket.unshift(rest)
    if (this.#waiting.length === 0) this.#go()
  }

  #go(): void {
    const { socket } = this
    socket.off('end', this.#onEnd).off('drain', this.#onDrain)
    socket.off('error', this.#onError).off('close', this.#onClose)
    this.#lane.reading.end(socket)
    this.#lane.onGone(this)
    this.#lane.handOver(socket)
    socket.resume()
  }

  #pause(): void {
    this.#isPaused = true
    this.socket.pause()
  }

  #resume(): void {
    if (this.#isBlocked || this.#isLeaving || this.#waiting.length > maxWaiting / 2) return
    this.#isPaused = false
    this.socket.resume()
  }

  readonly #onDrain = (): void => {
    this.#isBlocked = false
    this.#since = this.#lane.looks
    if (this.#isPaused) this.#resume()
  }

  /** The client sends no more; what it has asked for it gets. */
  readonly #onEnd = (): void => {
    this.#isEnded = true
    // Old clients send an empty line after a body (RFC 9112, section 2.2).
    const isCutShort = !this.#begun.isBlank
    this.#cutShort()
    if (this.#waiting.length > 0) return
    if (isCutShort) answerClientError(cutShort, this.socket)
    else this.socket.end()
  }

  readonly #onError = (): void => void this.socket.destroy()

  readonly #onClose = (): void => {
    this.#cutShort()
    const { onAnswered } = this.#lane
    if (onAnswered) for (const call of this.#waiting) onAnswered(call)
    this.#lane.waiting.count -= this.#waiting.length
    this.#waiting = []
    this.#lane.onGone(this)
  }

  /** A request that will not be completed still counts as one once its head has arrived. */
  #cutShort(): void {
    if (this.#begun.isEmpty) return
    const bytes = this.#begun.take()
    const parsed = this.#lane.parseHead(bytes, 0)
    if (typeof parsed === 'string') return
    const route = this.#lane.routes(parsed.head.method, parsed.head.target)
    if (route) this.#answer(new LaneCall(this, route, parsed.head, bytes.subarray(parsed.end)))
  }
}

const cutShort = new SluiceError('bad-request', 'The connection ended before the request was complete')
const nothingCame = new SluiceError('request-timeout', 'The headers did not arrive in time')
