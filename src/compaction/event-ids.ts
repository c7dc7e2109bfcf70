/**
 * The ids of events, by which a compaction drops rows that repeat an event. Tables whose type has had none lack the column;
 * of those nothing here holds.
 */
import { eventIdColumn, kindDocs } from '../formats/parquet/kind.ts'
import type { LiveFile } from '../tables/replace/live-files.ts'
import { isMerged } from '../tables/replace/merged-name.ts'
import type { TableField } from '../tables/schema.ts'

/** The column with the ids, unless the table has none, or senders fill the one of that name. */
export const findIdField = (fields: readonly TableField[]): TableField | undefined =>
  fields.find(({ name, type, doc }) => name === eventIdColumn && type === 'string' && doc === kindDocs.id)

/**
 * Whether repeats were not looked for in a file, and may be there. No two files that compactions made have an id in common:
 * each reads those that there are, and is not committed where another one came meanwhile.
 */
export const mayRepeat = ({ uri, hasValues }: Pick<LiveFile, 'uri' | 'hasValues'>): boolean =>
  hasValues && !isMerged(uri)

/** The order in which repeats are looked for: the first of them stays. */
export const byArrival = (a: LiveFile, b: LiveFile): number =>
  Number(isMerged(b.uri)) - Number(isMerged(a.uri)) ||
  Number(a.sequenceNumber - b.sequenceNumber) ||
  (a.uri < b.uri ? -1 : 1)
