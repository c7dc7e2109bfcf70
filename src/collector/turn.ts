/** How the time of one turn of the event loop is shared out when more has arrived than it should take. */
export type TurnLimits = {
  /** So long, in ms, everything is taken; later ones have waited too long already, if the turn before was as long. */
  readonly workMs: number
  /** Then, so long, requests are refused; then taken again, and so on until the turn ends. */
  readonly refuseMs: number
  /** This many requests are always accepted: one long request is not an overload. */
  readonly minRequests: number
}

/**
 * Five parts of work to one of refusing: at least 80 % of the capacity is left for work, whatever arrives. Some
 * thousand connections with one request each are not an overload: they take less.
 */
export const defaultTurnLimits: TurnLimits = { workMs: 100, refuseMs: 20, minRequests: 128 }

/** Watches how long the server works on what has arrived at one time. */
export type Turn = {
  /** Counts a request; true when it should be refused. */
  isOverdue(): boolean
}

/**
 * Requests that wait for this process are in the buffers of its sockets, where they cannot be counted. All of them are
 * read in one turn of the event loop, and those that arrive meanwhile wait for the next: so the length of a turn is the
 * time that requests wait, and a long turn is shortened by refusing some. A single long turn is not: the process was
 * delayed by others on its core, by a flush that begins or by a garbage collection, and the backlog is soon worked off;
 * under overload the next one is as long. Refusing costs time as well. When even that would take too much, connections
 * are read later, and their clients wait.
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
