import { Buffer } from 'node:buffer'
import { isObject } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'
import type { Members } from '../members.ts'

/** What a manifest says of a column of a file, and of the dates of its rows. */
export type ManifestFigures = {
  /** Its first and its last date; undefined where they are not known, or not wanted. */
  readonly dates: DateRange | undefined
  /** Whether it may have values in the column that was asked for. */
  readonly hasValues: boolean
}

/** Times in µs since the epoch, both included. */
export type DateRange = { readonly from: number; readonly to: number }

const noFigures: ManifestFigures = { dates: undefined, hasValues: false }

/** So many columns at least have counts in files of other writers; further ones may have none. */
const mostCounted = 100

/** @param columnId undefined: nothing is asked for */
export const readManifestFigures = (file: Members, dateId: number, columnId: number | undefined): ManifestFigures => {
  if (columnId === undefined) return noFigures
  const from = toTime(readMap(file, 'lower_bounds').get(dateId))
  const to = toTime(readMap(file, 'upper_bounds').get(dateId))
  const nulls = readMap(file, 'null_value_counts')
  const known = nulls.get(columnId)
  // A file that lacks the column has no count of it.
  const isMissing = known === undefined && nulls.has(dateId) && nulls.size < mostCounted
  return {
    dates: from === undefined || to === undefined ? undefined : { from, to },
    hasValues: !isMissing && !(known !== undefined && Number(known) === file.integer('record_count')),
  }
}

/** Values by the ids of columns. */
const readMap = ({ json }: Members, name: string): ReadonlyMap<number, Value> => {
  const found = new Map<number, Value>()
  const list = json[name]
  for (const pair of Array.isArray(list) ? list : [])
    if (isObject(pair) && typeof pair['key'] === 'number') found.set(pair['key'], pair['value'] ?? null)
  return found
}

const toTime = (bound: Value | undefined): number | undefined =>
  bound instanceof Uint8Array && bound.length === 8 ? Number(Buffer.from(bound).readBigInt64LE()) : undefined
