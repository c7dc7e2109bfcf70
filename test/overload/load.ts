/** What to send, and for how long. */
export type GeneratorOptions = {
  readonly port: number
  /** The numbers of events start here. */
  readonly firstEvent: number
  readonly connections: number
  /** Requests on their way on one connection of the open loop. */
  readonly depth: number
  /** Requests/s that are due; 0 for a closed loop. */
  readonly requestsPerSecond: number
  /** Connections that wait for their answers, beside an open loop. */
  readonly honest: number
  /** Connections/s that are closed and opened again. */
  readonly renewalsPerSecond: number
  readonly warmUpMs: number
  readonly durationMs: number
  /** Gets `.accepted` and `.refused` appended: 32-bit numbers, little endian. */
  readonly file: string
}

/** Times in ms, from when a request was due to the end of its answer; rates of the measured time, in 1/s. */
export type GeneratorResult = {
  readonly due: number
  readonly sent: number
  readonly accepted: number
  readonly refused: number
  /** Events accepted over the whole time, of all clients. */
  readonly acceptedInAll: number
  /** Requests whose connection ended before their answer, over the whole time. */
  readonly unanswered: number
  readonly acceptedMs: Times
  readonly refusedMs: Times
  /** The honest clients alone. */
  readonly honestAccepted: number
  readonly honestMs: Times
  /**
   * First answers of the connections that were opened meanwhile, whatever their status: those that the server was slow to
   * accept count also when it answered after the end.
   */
  readonly newMs: Times
  readonly reopened: number
  /** Answers other than 202 and 503; must be 0. */
  readonly failures: number
  readonly firstFailure: number
  /** How late the generator itself was: the part of the times above that is its own. */
  readonly ownDelayP99Ms: number
  /** One more than the highest number used. */
  readonly nextEvent: number
}

export type Times = { readonly p50: number; readonly p99: number; readonly max: number }
