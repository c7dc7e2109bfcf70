/** The limits of the Scribe listener, whatever clients do. Times are ms. */
export type ScribeLimits = {
  /** Largest message, framed or not. */
  readonly maxFrameBytes: number
  /** Open connections; more are closed on arrival. */
  readonly maxConnections: number
  /** Connections that wait to be accepted, for each listening socket and as far as the system lets them. */
  readonly maxBacklog: number
  /** Calls of one connection that are in work at a time; the next ones are not read until one is answered, */
  readonly maxPipelinedCalls: number
  /** nor while those in work are larger than this together. */
  readonly maxPipelinedBytes: number
  /** Answers that a client has not taken yet; beyond, no more of its calls are read. */
  readonly maxUnsentBytes: number
  /** From the first to the last byte of a message; then the connection is closed. */
  readonly frameTimeoutMs: number
  /** Without a byte in either direction, and no call in work: longer than the 4 minutes after which old clients reconnect. */
  readonly idleTimeoutMs: number
  /** After the last answer, how long what a client still sends is read away, so that it sees that answer. */
  readonly lingerMs: number
  /** How often these times are looked at. */
  readonly checkEveryMs: number
  /** In a drain, how long calls and connections are still taken: until balancers have seen that readiness is off. */
  readonly drainDelayMs: number
  /** In a drain, after that delay, how long calls in work may take; then connections are cut. */
  readonly drainMs: number
}

const mebibyte = 2 ** 20

/** The limits unless a setting, or a test, says otherwise. */
export const defaultScribeLimits: ScribeLimits = {
  maxFrameBytes: 64 * mebibyte,
  maxConnections: 20_000,
  maxBacklog: 4_096,
  maxPipelinedCalls: 32,
  maxPipelinedBytes: mebibyte,
  maxUnsentBytes: 65_536,
  frameTimeoutMs: 30_000,
  idleTimeoutMs: 900_000,
  lingerMs: 1_000,
  checkEveryMs: 1_000,
  drainDelayMs: 0,
  drainMs: 30_000,
}
