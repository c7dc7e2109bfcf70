import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { LaneRoutes } from '../../../src/http/call/base-call.ts'
import { parseAnswers } from './answers.ts'
import { isKnownAnswer } from './known-differences.ts'
import { MemorySocket } from './memory-socket.ts'
import { answerCall, createPlainServer, createSide, indexHeader, type Side } from './sides.ts'

/** What takes connections before Node's server does. */
export type Lane = { take(socket: Socket): void; close?(): void }

/** What a lane is given. */
export type LaneParts = {
  /** What answers a request; undefined for what Node's server answers. */
  readonly routes: LaneRoutes
  /** Node's server takes the connection from here on. */
  readonly handOver: (socket: Socket) => void
}

/** One connection from its first byte to its end. */
export type Connection = {
  readonly bytes: Uint8Array
  /** Where the bytes are cut, in ascending order: each piece comes in a turn of the event loop of its own. */
  readonly cuts: readonly number[]
  /** What the client does at last: says that it will send no more, or is gone. */
  readonly end: 'half-close' | 'reset'
  /** Turns that every second answer takes. @default 0 */
  readonly answerTurns?: number
  /** Whether the client reads slowly. @default false */
  readonly isSlow?: boolean
}

/** Sends the same connections to Node's server, and to a lane with another such server behind it. */
export type Differential = {
  /** @throws Error what is not the same on both sides */
  run(connection: Connection): Promise<void>
  close(): void
}

/** Compares a lane with `node:http` alone. */
export const createDifferential = (createLane: (parts: LaneParts) => Lane): Differential => {
  let plain: Side | undefined
  let laned: Side | undefined
  let activity = 0
  const onActivity = (): void => {
    activity += 1
  }
  const sideOf = (socket: unknown): Side | undefined =>
    plain?.socket === socket ? plain : laned?.socket === socket ? laned : undefined
  const servers: readonly Server[] = [createPlainServer(sideOf), createPlainServer(sideOf)]
  const [plainServer, behind] = servers
  const lane = createLane({
    routes: (method, target) => {
      if (!isRouted(method, target)) return undefined
      return call => {
        if (laned === undefined) throw new Error('a call of a connection that is over')
        return answerCall(laned, call)
      }
    },
    handOver: socket => void behind?.emit('connection', socket),
  })

  /** Until nothing has happened for some turns. */
  const settle = async (sides: readonly Side[]): Promise<void> => {
    let quiet = 0
    for (let turns = 0; quiet < quietTurns; turns += 1) {
      const before = activity
      await turn()
      const isBusy = sides.some(({ pending, socket }) => pending > 0 && !socket.destroyed)
      quiet = activity !== before || (isBusy && turns < mostTurns) ? 0 : quiet + 1
    }
  }

  const run = async (connection: Connection): Promise<void> => {
    const { bytes, cuts, end, answerTurns = 0, isSlow = false } = connection
    const one = createSide(new MemorySocket({ onActivity, isSlow }), answerTurns)
    const other = createSide(new MemorySocket({ onActivity, isSlow }), answerTurns)
    plain = one
    laned = other
    const sides = [one, other]
    try {
      plainServer?.emit('connection', one.socket)
      lane.take(other.socket)
      await turn()
      let start = 0
      for (const cut of [...cuts, bytes.length]) {
        // Each side its own copy: a socket's bytes belong to their reader.
        for (const { socket } of sides) {
          if (!socket.destroyed && cut > start) socket.push(Buffer.from(bytes.subarray(start, cut)))
        }
        start = cut
        await turn()
      }
      await settle(sides)
      one.isCutOff = one.socket.destroyed
      compareOpen(one, other, bytes)
      for (const { socket } of sides) {
        if (end === 'reset') socket.destroy()
        else if (!socket.destroyed) socket.push(null)
      }
      await settle(sides)
      compare(one, other, bytes)
    } finally {
      for (const { socket } of sides) socket.destroy()
    }
  }
  return {
    run,
    close: () => {
      lane.close?.()
      for (const server of servers) server.close()
    },
  }
}

/** More than anything that is done in turns waits between two of them. */
const quietTurns = 3
/** Handlers answer within some. */
const mostTurns = 200

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** The collector's operations, by their exact paths. */
export const isRouted = (method: string, target: string): boolean => {
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  return method === 'POST' ? path === '/rest/1.0/event' : method === 'GET' && (path === '/1' || path === '/2')
}

/**
 * While the client could still send: a side that waits for more has seen nothing yet, and everything else is the same.
 */
const compareOpen = (plain: Side, lane: Side, bytes: Uint8Array): void => {
  const isWaiting = plain.seen.length === lane.seen.length + 1 && plain.seen.at(-1)?.isWhole === false
  compare(isWaiting ? { ...plain, seen: plain.seen.slice(0, -1) } : plain, lane, bytes)
}

/**
 * The same requests were seen, and the same answers given, up to the one that ends the connection. What Node's server
 * had seen by then of requests behind that, and whether it was first to refuse what is not HTTP or to answer the requests
 * before it, depends on what came at a time; and for what is behind a lane, more may have come.
 */
const compare = (plain: Side, lane: Side, bytes: Uint8Array): void => {
  const expected = toAnswers(plain)
  const got = toAnswers(lane)
  const { isRefused } = plain
  const isCutOff = plain.isCutOff && !expected.isLast
  const isSame = isRefused
    ? (expected.isLast && got.isLast) || expected.statuses.at(-1) === got.statuses.at(-1)
    : expected.statuses.join() === got.statuses.join()
  if (!isSame && isKnownAnswer(bytes, expected.statuses, got.statuses)) return
  if (!isSame && !isCutOff) throw differs('answers', expected.statuses, got.statuses)
  if (plain.socket.isEnded !== lane.socket.isEnded) {
    throw differs('the end', plain.socket.isEnded, lane.socket.isEnded)
  }
  compareSeen(plain, lane, isCutOff || expected.isLast ? expected.answered : Number.POSITIVE_INFINITY)
  if (plain.seen.length !== lane.seen.length) {
    throw differs('requests', plain.seen.at(lane.seen.length), lane.seen.at(plain.seen.length))
  }
}

/** @param answered how many of them are surely read to their end */
const compareSeen = (plain: Side, lane: Side, answered: number): void => {
  for (const [index, request] of plain.seen.entries()) {
    const other = lane.seen[index]
    if (other === undefined) break
    const { method, target, headers, isWhole } = request
    const isSame =
      method === other.method &&
      target === other.target &&
      headers === other.headers &&
      (index >= answered || isWhole === other.isWhole) &&
      (!isWhole || !other.isWhole || request.body === other.body)
    if (!isSame) throw differs(`request ${index}`, request, other)
  }
}

type Answers = {
  /** Their status codes, up to the one that ends the connection. */
  readonly statuses: readonly number[]
  /** How many of them are for a request that was seen. */
  readonly answered: number
  /** Whether the last one ends the connection. */
  readonly isLast: boolean
}

/** @throws Error where they come in pieces or out of order */
const toAnswers = ({ socket, seen }: Side): Answers => {
  const { answers, left } = parseAnswers(socket.received, headers => {
    const index = headers.get(indexHeader)
    return index !== undefined && seen[Number(index)]?.method === 'HEAD'
  })
  if (left > 0) throw new Error(`an answer without its end: ${JSON.stringify(socket.received.slice(-left))}`)
  const statuses: number[] = []
  let answered = 0
  for (const { status, headers } of answers) {
    const index = headers.get(indexHeader)
    if (index !== undefined && Number(index) !== answered) {
      throw new Error(`an answer to request ${index} in place of ${answered}`)
    }
    if (index !== undefined) answered += 1
    statuses.push(status)
    if (headers.get('connection')?.toLowerCase() === 'close') return { statuses, answered, isLast: true }
  }
  return { statuses, answered, isLast: false }
}

const differs = (what: string, plain: unknown, lane: unknown): Error =>
  new Error(`${what}: ${JSON.stringify(plain)} of node:http, ${JSON.stringify(lane)} with the lane`)
