/** An event as a third-party reader found it in a file. */
export type FoundEvent = {
  readonly name: string
  /** Its fields in their order; those of Thrift events under their ids. */
  readonly fields: readonly (readonly [name: string, value: unknown])[]
}
