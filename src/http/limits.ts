/** How slowly a body that is read whole may arrive; then 408. Only time counts in which it is read. Times are ms. */
export type BodyPace = {
  /** Without a byte. */
  readonly bodyIdleMs: number
  /** In each span of this length, */
  readonly bodyWindowMs: number
  /** at least this many bytes. */
  readonly bodyWindowBytes: number
}

/** The limits of a listener, whatever clients do. Times are ms. */
export type EdgeLimits = BodyPace & {
  /**
   * All headers of a request, its target included: 64 KiB, as Hadoop has it (`hadoop.http.max.request.header.size`), since a
   * Kerberos ticket with all groups of a large directory has some 48 KB.
   */
  readonly maxHeaderBytes: number
  /**
   * Bytes of heads that have not arrived whole, of all connections of a listener: `node:http` keeps them. Beyond that many,
   * heads with more than {@link smallHeadBytes} are refused.
   */
  readonly maxBegunHeadBytes: number
  /** Open connections; more are closed on arrival. Room for the 10 000 idle ones of a big fleet of clients. */
  readonly maxConnections: number
  /**
   * Connections that wait to be accepted, for each listening socket and as far as the system lets them
   * (`net.core.somaxconn`). A connection that does not fit appears connected, sends its requests, and is reset after
   * seconds.
   */
  readonly maxBacklog: number
  /** From the first byte of a request to the end of its headers; then 408. */
  readonly headersTimeoutMs: number
  /** Without a byte in either direction while the client is the one to act; then the connection is closed. */
  readonly inactivityTimeoutMs: number
  /** Between two requests of a connection: longer than the 60 s of common load balancers, which close first then. */
  readonly keepAliveTimeoutMs: number
  /** How often header times are looked at. */
  readonly checkEveryMs: number
  /** When an answer precedes the end of the body, this much more is read so that the client sees the answer, */
  readonly lingerBytes: number
  /** for this long. */
  readonly lingerMs: number
  /**
   * A client that has ended its side gets the answer it waits for while no more than this passes without a byte of it. One that has
   * gone away looks the same until bytes of the answer reach it: so long its request is worked on for nothing.
   */
  readonly halfClosedMs: number
  /**
   * In a drain, how long everything continues to be served at least: until balancers have seen that readiness is off.
   */
  readonly drainDelayMs: number
  /** In a drain, how long clients may still send requests and open connections that were on their way. */
  readonly idleGraceMs: number
  /** In a drain, after that delay, how long requests in flight may take; then they are cut. */
  readonly drainMs: number
}

/** Most heads are smaller, those of browsers with all their cookies too. */
export const smallHeadBytes = 16_384

/** The limits of every listener, unless a test says otherwise. */
export const defaultEdgeLimits: EdgeLimits = {
  maxHeaderBytes: 65_536,
  maxBegunHeadBytes: 64 * 2 ** 20,
  maxConnections: 20_000,
  maxBacklog: 4_096,
  headersTimeoutMs: 15_000,
  bodyIdleMs: 10_000,
  bodyWindowMs: 30_000,
  bodyWindowBytes: 30 * 1_024,
  inactivityTimeoutMs: 120_000,
  keepAliveTimeoutMs: 65_000,
  checkEveryMs: 1_000,
  lingerBytes: 64 * 2 ** 20,
  lingerMs: 3_000,
  halfClosedMs: 3_000,
  drainDelayMs: 0,
  idleGraceMs: 500,
  drainMs: 30_000,
}
