/** How the time of one turn of the event loop is shared out when more has arrived than it should take. */
export type TurnLimits = {
  /** So long, in ms, everything is taken; what comes later has waited too long already, if the turn before was as long. */
  readonly workMs: number
  /** Then, so long, requests are refused; then taken again, and so on until the turn ends. */
  readonly refuseMs: number
  /** So many requests are always taken: one long request is not an overload. */
  readonly minRequests: number
}

/**
 * Five parts of work to one of refusing: the capacity left is above 80 %, whatever arrives. Some thousands of connections
 * with one request each are no overload: they take less.
 */
export const defaultTurnLimits: TurnLimits = { workMs: 100, refuseMs: 20, minRequests: 128 }

/** Watches how long the server works on what has arrived at one time. */
export type Turn = {
  /** Counts a request; true when it should be refused. */
  isOverdue(): boolean
}

/**
 * What waits for this process waits in the buffers of its sockets, where nobody can count it. All of it is read in
 * one turn of the event loop, and what comes meanwhile waits for the next: so the length of a turn is the time that
 * requests wait, and a turn that gets long is shortened by refusing some. A single one is not: the process was held up, by
 * others on its core, by a flush that begins or by a collection of garbage, and what has gathered meanwhile is soon done
 * with; under overload the next one is as long. Refusing costs time as well. When even that would take too much of it,
 * connections are read later, and their clients wait.
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
  let wasLong = false
  const end = (): void => {
    wasLong = requests > minRequests && nowMs() - beganAt >= workMs
    requests = 0
  }
  return {
    isOverdue: () => {
      if (requests++ === 0) {
        beganAt = nowMs()
        afterTurn(end)
      }
      return wasLong && requests > minRequests && (nowMs() - beganAt) % (workMs + refuseMs) >= workMs
    },
  }
}
