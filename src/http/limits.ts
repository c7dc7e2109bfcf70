/** What bounds a listener, whatever clients do. Times are ms. */
export type EdgeLimits = {
  /** All headers of a request, its target included. */
  readonly maxHeaderBytes: number
  /** Open connections; more are closed as they come. Room for the 10 000 idle ones of a big fleet of clients. */
  readonly maxConnections: number
  /**
   * Connections that wait to be accepted, for each listening socket and as far as the system lets them
   * (`net.core.somaxconn`). What finds no room believes itself connected, sends its requests, and is reset after seconds.
   */
  readonly maxBacklog: number
  /** From the first byte of a request to the end of its headers; then 408. */
  readonly headersTimeoutMs: number
  /** From the first to the last byte of a body that is read whole; then 408. */
  readonly bodyTimeoutMs: number
  /** Without a byte in either direction while the client is the one to act; then the connection is closed. */
  readonly inactivityTimeoutMs: number
  /** Between two requests of a connection: longer than the 60 s of common load balancers, which close first then. */
  readonly keepAliveTimeoutMs: number
  /** How often header times are looked at. */
  readonly checkEveryMs: number
  /** When an answer comes before the body has arrived, this much more is read so that the client sees the answer, */
  readonly lingerBytes: number
  /** for this long. */
  readonly lingerMs: number
  /** In a drain, how long everything goes on being served at least: until balancers have seen that readiness is off. */
  readonly drainDelayMs: number
  /** In a drain, how long clients may still send requests and open connections that were on their way. */
  readonly idleGraceMs: number
  /** In a drain, behind that delay, how long requests in flight may take; then they are cut. */
  readonly drainMs: number
}

/** The limits of every listener, unless a test says otherwise. */
export const defaultEdgeLimits: EdgeLimits = {
  maxHeaderBytes: 32_768,
  maxConnections: 20_000,
  maxBacklog: 4_096,
  headersTimeoutMs: 15_000,
  bodyTimeoutMs: 30_000,
  inactivityTimeoutMs: 120_000,
  keepAliveTimeoutMs: 65_000,
  checkEveryMs: 1_000,
  lingerBytes: 64 * 2 ** 20,
  lingerMs: 3_000,
  drainDelayMs: 0,
  idleGraceMs: 500,
  drainMs: 30_000,
}
