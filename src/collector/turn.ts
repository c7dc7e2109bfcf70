/** How the time of one turn of the event loop is shared out when more has arrived than it should take. */
export type TurnLimits = {
  /** So long, in ms, everything is taken; what comes later in the same turn has waited too long already. */
  readonly workMs: number
  /** Then, so long, requests are refused; then taken again, and so on until the turn ends. */
  readonly refuseMs: number
  /** So many requests are always taken: one long request is not an overload. */
  readonly minRequests: number
}

/** Five parts of work to one of refusing: the capacity left is above 80 %, whatever arrives. */
export const defaultTurnLimits: TurnLimits = { workMs: 50, refuseMs: 10, minRequests: 128 }

/** Watches how long the server works on what has arrived at one time. */
export type Turn = {
  /** Counts a request; true when it should be refused. */
  isOverdue(): boolean
}

/**
 * What waits for this process waits in the buffers of its sockets, where nobody can count it. All of it is read in
 * one turn of the event loop, and what comes meanwhile waits for the next: so the length of a turn is the time that
 * requests wait, and a turn that gets long is shortened by refusing some. Refusing costs time as well. When even that
 * would take too much of it, connections are read later, and their clients wait.
 * @param nowMs monotonic
 * @param afterTurn calls back when the turn ends
 */
export const createTurn = (
  nowMs: () => number,
  { workMs, refuseMs, minRequests }: TurnLimits = defaultTurnLimits,
  afterTurn: (callback: () => void) => unknown = setImmediate,
): Turn => {
  let requests = 0
  let beganAt = 0
  const end = (): void => {
    requests = 0
  }
  return {
    isOverdue: () => {
      if (requests++ === 0) {
        beganAt = nowMs()
        afterTurn(end)
      }
      return requests > minRequests && (nowMs() - beganAt) % (workMs + refuseMs) >= workMs
    },
  }
}
