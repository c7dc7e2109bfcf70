import type { RowGroup } from '../formats/parquet/metadata.ts'
import { matchColumns } from '../formats/parquet/rewrite/match-columns.ts'
import { toSchema } from '../formats/parquet/schema.ts'
import { toBound } from '../tables/bounds.ts'
import type { LiveFile } from '../tables/replace/live-files.ts'
import type { DateRange } from '../tables/replace/manifest-figures.ts'
import { mayRepeat } from './event-ids.ts'
import { type Instead, type RowTarget, readRowsInto } from './read-rows.ts'
import type { RowSorter } from './row-sorter.ts'
import type { SourceFile } from './source-files.ts'

/** A file that stays, and whose events are not to be repeated. */
export type BesideFile = Pick<LiveFile, 'uri' | 'rows' | 'bytes' | 'dates'>

/** Those files whose events some others may repeat, by their dates. */
export const findRepeatable = (beside: readonly BesideFile[], sources: readonly LiveFile[]): readonly BesideFile[] => {
  if (!sources.some(mayRepeat)) return []
  const wanted = datesOf(sources)
  return beside.filter(({ dates }) => overlap(dates, wanted))
}

export type ReadBesideOptions = {
  /** The date and the id. */
  readonly target: RowTarget
  /** What may repeat its events. */
  readonly sources: readonly LiveFile[]
  readonly onRows: () => void
  /** What stands for a row of it. @default nothing but what it is sorted by */
  readonly instead?: Instead
}

/**
 * Puts the events of a file that stays into a sorter, as far as some others may repeat them.
 * @throws FormatError, LimitError. Rejects with `FileSystemError`
 */
export const readBesideInto = async (
  sorter: RowSorter,
  source: SourceFile,
  { target, sources, onRows, instead = () => {} }: ReadBesideOptions,
): Promise<void> => {
  const schema = toSchema(source.footer.schema)
  const index = matchColumns(schema, target.layout, target.names).sources[target.sortedBy.index]?.index
  const leaf = schema.leaves.find(one => one.index === index)
  const wanted = datesOf(sources)
  const datesIn = (group: RowGroup): DateRange | undefined => {
    const { minValue, maxValue } = group.chunks()[leaf?.index ?? -1]?.meta?.statistics ?? {}
    const from = leaf && minValue && toBound(minValue, 'timestamptz', leaf)
    const to = leaf && maxValue && toBound(maxValue, 'timestamptz', leaf)
    return from && to && { from: Number(from.readBigInt64LE()), to: Number(to.readBigInt64LE()) }
  }
  const isWanted = (group: RowGroup): boolean => overlap(datesIn(group), wanted)
  await readRowsInto(sorter, source, target, onRows, { instead, isWanted })
}

/** Of all rows that may be repeats; undefined where some are not known. */
const datesOf = (sources: readonly LiveFile[]): DateRange | undefined => {
  let range: DateRange = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY }
  for (const { dates } of sources.filter(mayRepeat)) {
    if (!dates) return undefined
    range = { from: Math.min(range.from, dates.from), to: Math.max(range.to, dates.to) }
  }
  return range
}

const overlap = (left: DateRange | undefined, right: DateRange | undefined): boolean =>
  left === undefined || right === undefined || (left.from <= right.to && right.from <= left.to)
