/** What sealing took, from the second segment on: by then the code is compiled. */
export type Sealed = {
  readonly rowsPerSecond: number
  /** CPU time of the process for a row, in µs. */
  readonly cpuUs: number
  /** By what resident memory grew at most, the first segment included. */
  readonly megabytes: number
  /** How long it took. */
  readonly milliseconds: number
}
