import type { Socket } from 'node:net'
import type { Logger } from '../../log/log.ts'
import type { LaneRoutes } from '../call/base-call.ts'
import type { EdgeLimits } from '../limits.ts'
import type { AnswerText } from './answer-text.ts'
import type { LaneCall, LaneEnd } from './lane-call.ts'
import type { ParseHead } from './parse-head.ts'
import type { SharedReading } from './shared-reading.ts'

/** What the connections of a lane share. */
export type LaneParts = {
  readonly parseHead: ParseHead
  readonly routes: LaneRoutes
  /** How connections are read. */
  readonly reading: SharedReading
  readonly limits: EdgeLimits
  readonly logger: Logger
  readonly toText: AnswerText
  /** Gives the connection to `node:http`, for good, with all bytes that were not answered still in it. */
  readonly handOver: (socket: Socket) => void
  readonly onGone: (connection: LaneEnd) => void
  readonly isDraining: boolean
  /** Bytes of incomplete requests; their sum is bounded. */
  readonly held: { bytes: number }
  /** Requests whose answers are not written yet. */
  readonly waiting: { count: number }
  /** Hears of each request when its answer is written, or its connection has ended. */
  readonly onAnswered: ((call: LaneCall) => void) | undefined
  /** Counts the looks at all connections, one every `checkEveryMs`. */
  readonly looks: number
}
