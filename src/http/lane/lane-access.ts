import { type Access, ofHeaders, unanswered } from '../access/access.ts'
import type { LaneCall } from './lane-call.ts'

/** A request of the lane that is over, for the access log. */
export const toLaneAccess = (call: LaneCall, listener: string): Access => {
  const { peer, user, begun, method, target, answer } = call
  const durationMs = performance.now() - begun
  return {
    listener,
    peer,
    user,
    at: Date.now() - durationMs,
    durationMs,
    method,
    target,
    httpVersion: '1.1',
    // After `HTTP/1.1 `.
    status: answer === undefined ? unanswered : Number(answer.head.slice(9, 12)),
    bytes: answer?.content.length ?? 0,
    ...ofHeaders(name => call.header(name)),
  }
}
