/** The summary of a snapshot that replaces or removes files (Iceberg specification, "Snapshots"). */
import type { DataFile } from '../data-file.ts'
import type { TableMetadata } from '../metadata.ts'
import type { LiveFile } from './live-files.ts'

/** What the change is to readers: no other rows, fewer rows in files that take the place of some, or fewer rows. */
export type ChangeOperation = 'replace' | 'overwrite' | 'delete'

/** A figure of all of them. */
export const totalOf = <T>(all: readonly T[], of: (one: T) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0)

/** What the snapshot says of the files that come and go, with the totals as far as the one before has them. */
export const toChangeSummary = (
  { current }: Pick<TableMetadata, 'current'>,
  operation: ChangeOperation,
  { added, removed }: { readonly added: readonly DataFile[]; readonly removed: readonly LiveFile[] },
): ReadonlyMap<string, string> => {
  const [rows, bytes] = [totalOf(added, file => file.rows), totalOf(added, file => file.bytes)]
  const [oldRows, oldBytes] = [totalOf(removed, file => file.rows), totalOf(removed, file => file.bytes)]
  const summary = new Map([
    ['operation', operation],
    ['added-data-files', String(added.length)],
    ['deleted-data-files', String(removed.length)],
    ['added-records', String(rows)],
    ['deleted-records', String(oldRows)],
    ['added-files-size', String(bytes)],
    ['removed-files-size', String(oldBytes)],
    ['changed-partition-count', String(new Set(removed.map(({ hour }) => hour)).size)],
  ])
  const total = (name: string, change: number): void => {
    const before = current?.summary.get(name)
    if (before !== undefined && /^\d+$/.test(before)) summary.set(name, String(BigInt(before) + BigInt(change)))
  }
  total('total-records', rows - oldRows)
  total('total-data-files', added.length - removed.length)
  total('total-files-size', bytes - oldBytes)
  total('total-delete-files', 0)
  total('total-position-deletes', 0)
  total('total-equality-deletes', 0)
  return summary
}
