import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { readAnswer } from '../../../clients/tracker/http-answer.ts'
import { parseJson } from '../../../src/formats/json.ts'
import { CliError } from '../command/failure.ts'
import type { GatewayCalls } from '../files/gateway.ts'
import type { EventBatch, FileFormat } from './event-files.ts'

/** The outcome of everything that was sent. */
export type SendReport = {
  readonly accepted: number
  readonly refused: number
  /** The first of those that were refused; `event` counts from 1. */
  readonly errors: readonly SendError[]
  /** Taken, but not as the schema of their type has it. */
  readonly mismatched: number
}

export type SendError = {
  readonly event: number
  /** The line number, in a file of lines. */
  readonly line?: number
  readonly code: string
  readonly detail: string
}

const maxErrors = 100
const maxAttempts = 5
const firstDelayMs = 500

const contentTypes: Readonly<Record<FileFormat, string>> = {
  jsonl: 'application/json',
  json: 'application/json',
  smile: 'application/json+smile',
  thrift: 'application/thrift',
}

export type SendOptions = {
  /** Names the event of a Thrift struct without an envelope. */
  readonly name?: string | undefined
  readonly date?: string | undefined
  readonly granularity?: string | undefined
  readonly onProgress?: (events: number) => void
  /** The server does not accept a request now, and it is sent again: why, and after how many ms. */
  readonly onRetry?: (reason: string, waitMs: number) => void
  /** Waits before another attempt; ms. */
  readonly wait?: (ms: number) => Promise<unknown>
}

/**
 * Sends one request after another, each with a key of its own: one whose answer is lost is sent again and counts once.
 * @throws CliError `unreachable`, or what the server says to a request as a whole; the hint says what was accepted
 * before
 */
export const sendBatches = async (
  gateway: GatewayCalls,
  batches: AsyncIterable<EventBatch> | Iterable<EventBatch>,
  format: FileFormat,
  options: SendOptions = {},
): Promise<SendReport> => {
  const report = { accepted: 0, refused: 0, mismatched: 0, errors: [] as SendError[] }
  for await (const batch of batches) {
    const { status, body } = await sendOne(gateway, batch, format, options).catch(error => {
      throw withTaken(error, report.accepted)
    })
    const before = report.accepted + report.refused
    if (status === 202) {
      const [accepted, refused] = [Number(body['accepted'] ?? 0), Number(body['rejected'] ?? 0)]
      report.accepted += accepted
      report.refused += refused
      // An event that goes over several lines leaves none to be named.
      const lines = accepted + refused === batch.events ? batch.lines : undefined
      report.mismatched += listOf(body['mismatches']).length
      for (const { index, code, detail } of listOf(body['errors'])) {
        if (report.errors.length >= maxErrors) break
        const line = lines?.[Number(index)]
        const told = { code: String(code), detail: (line && ownDetail(line.text)) ?? String(detail) }
        report.errors.push({ event: before + Number(index) + 1, ...(line ? { line: line.number } : {}), ...told })
      }
    } else {
      const code = toWord(body['code'], `http-${status}`)
      const detail = toWord(body['detail'] ?? body['title'], `The server answered HTTP ${status}`)
      // Other lines may still be good; a file that is one request is refused as a whole, and a sender without
      // permission need not continue.
      const isWhole = batch.events === undefined || status === 401 || status === 403 || status === 404 || status >= 500
      if (isWhole) throw withTaken(new CliError(detail, { code, hint: hintOf(status) }), report.accepted)
      report.refused += batch.events
      if (report.errors.length < maxErrors)
        report.errors.push({
          event: before + 1,
          ...(batch.lines?.[0] ? { line: batch.lines[0].number } : {}),
          code,
          detail,
        })
    }
    options.onProgress?.(report.accepted + report.refused)
  }
  return report
}

/** Again with the same key while the server is overloaded or its answer is lost; the first attempt must reach it. */
const sendOne = async (gateway: GatewayCalls, { body }: EventBatch, format: FileFormat, options: SendOptions) => {
  const { name, date, granularity, wait = sleep, onRetry = () => {} } = options
  const pause = async (reason: string, ms: number): Promise<void> => {
    onRetry(reason, ms)
    await wait(ms)
  }
  const query = { name, date, gr: granularity }
  const headers = { 'content-type': contentTypes[format], 'idempotency-key': randomUUID() }
  let hasReached = false
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await gateway.send('/rest/1.0/event', query, { method: 'POST', headers, body })
      const answer = await readAnswer(response, Date.now())
      if (!isPassing(answer.status) || attempt === maxAttempts) return answer
      hasReached = true
      const detail = toWord(answer.body['detail'] ?? answer.body['title'], `HTTP ${answer.status}`)
      await pause(`The server refuses: ${detail}`, answer.retryAfterMs ?? firstDelayMs * 2 ** attempt)
    } catch (error) {
      // Refused at once: there is no server. Anything else may have been accepted, and the key will tell.
      if (attempt === maxAttempts || (!hasReached && isRefused(error))) throw error
      await pause(error instanceof Error ? error.message : String(error), firstDelayMs * 2 ** attempt)
    }
  }
}

/** Whether it may be accepted later: the server is full, or this sender is over its quota. */
const isPassing = (status: number): boolean => status === 503 || status === 429

const isRefused = (error: unknown): boolean =>
  error instanceof CliError && /refused|not found|bad port|ENOTFOUND|ECONNREFUSED/i.test(error.message)

/** What is wrong with a line by itself: the server counts from the beginning of the request. */
const ownDetail = (line: string): string | undefined => {
  try {
    parseJson(line)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : undefined
  }
}

const toWord = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? (value as readonly Readonly<Record<string, unknown>>[]) : []

const hintOf = (status: number): string =>
  status === 401 || status === 403
    ? 'Give a token with the role send: SLUICE_TOKEN, --token-file or --profile.'
    : status === 404
      ? 'Is this the listener of the collector? See --server-url.'
      : isPassing(status)
        ? `It refused ${maxAttempts} times. See why and for how long: sluice status`
        : ''

const withTaken = (error: unknown, accepted: number): unknown => {
  if (accepted === 0 || !(error instanceof CliError)) return error
  const { code, message, exitCode } = error
  return new CliError(message, { code, exitCode, hint: `${accepted} events before it were accepted.`, cause: error })
}
