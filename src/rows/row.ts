import { toMembers } from '../formats/members.ts'
import type { Value } from '../formats/number.ts'

/**
 * One row: the abstraction of a line of a CSV file (the gateway's specification, part 2). Column names in order, and a value for
 * each. Rows of one shape share one `names` array, so that encoders can prepare their work per shape.
 */
export type Row = {
  readonly names: readonly string[]
  /** As many as there are names. */
  readonly values: readonly Value[]
}

/** Some rows in their order: an array, or what makes each row only when it is asked for. */
export type Rows = Iterable<Row> & {
  readonly length: number
  slice(start: number, end?: number): Rows
}

/** A row of an object's own keys and values, in their order. */
export const toRow = (object: { readonly [name: string]: Value }): Row => toMembers(object)
