import { stringifyJson } from '../../formats/json.ts'
import type { Value } from '../../formats/number.ts'
import type { LoadedTable } from '../catalog.ts'
import type { ManifestEntry, ManifestFile } from '../manifests.ts'
import type { PartitionField } from '../metadata.ts'
import type { PartitionValues } from '../partition-record.ts'

/** Files of a table that are together by the values of its partition. */
export type PartitionView = {
  /** `2026-11-22T08:00Z` of an hour; several values with a slash between them. */
  readonly name: string
  readonly files: number
  readonly rows: number
  readonly bytes: number
}

export type PartitionsView = {
  /** The last ones by name, the last one first. */
  readonly shown: readonly PartitionView[]
  /** Of all files that were counted. */
  readonly count: number
  readonly total: Omit<PartitionView, 'name'>
  /** Whether all manifests were counted, and every partition of them. */
  readonly isWhole: boolean
}

type CountOptions = {
  readonly table: Pick<LoadedTable, 'metadata'>
  /** Those with rows, of the current snapshot. */
  readonly manifests: readonly ManifestFile[]
  readonly read: (manifest: ManifestFile) => Promise<readonly ManifestEntry[]>
  /** Asked after each manifest: whether there is no time left to continue. */
  readonly isOver: () => boolean
  /** Partitions that are shown. */
  readonly most: number
}

/** Partitions that are counted at a time. */
const maxPartitions = 100_000

/** Counts the files of each partition, in the newest manifests first. Rejects as `read` does. */
export const countPartitions = async (options: CountOptions): Promise<PartitionsView> => {
  const { table, manifests, read, isOver, most } = options
  const fields = new Map(table.metadata.specs.map(spec => [spec.id, spec.fields]))
  const found = new Map<string, { files: number; rows: number; bytes: number }>()
  const total = { files: 0, rows: 0, bytes: 0 }
  let isWhole = true
  const newestFirst = manifests.toSorted((a, b) => Number(b.sequenceNumber - a.sequenceNumber))
  for (const [i, manifest] of newestFirst.entries()) {
    if (i > 0 && isOver()) {
      isWhole = false
      break
    }
    for (const { file, partition: values } of await read(manifest)) {
      const name = nameOf(fields.get(manifest.specId) ?? [], values)
      const partition = found.get(name) ?? { files: 0, rows: 0, bytes: 0 }
      if (found.size < maxPartitions) found.set(name, partition)
      else isWhole &&= found.has(name)
      for (const sums of [partition, total]) {
        sums.files += 1
        sums.rows += file.integer('record_count')
        sums.bytes += file.integer('file_size_in_bytes')
      }
    }
  }
  const shown = [...found].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, most)
  return { shown: shown.map(([name, sums]) => ({ name, ...sums })), count: found.size, total, isWhole }
}

const nameOf = (fields: readonly PartitionField[], values: PartitionValues): string =>
  fields.map(({ fieldId, transform }) => toPartitionText(transform, values.get(fieldId) ?? null)).join(' / ')

/** A value of a partition as people read it (specification, "Partition Transforms"): times since 1970 as those times. */
export const toPartitionText = (transform: string, value: Value): string => {
  if (value === null) return 'null'
  const iso = typeof value === 'number' ? toTimeText(transform, value) : undefined
  if (iso !== undefined) return iso
  if (value instanceof Uint8Array) return `0x${Array.from(value, byte => byte.toString(16).padStart(2, '0')).join('')}`
  return typeof value === 'object' ? stringifyJson(value) : String(value)
}

const toTimeText = (transform: string, value: number): string | undefined => {
  switch (transform) {
    case 'hour':
      return toIso(value * 3_600_000)?.replace(/:00\.000Z$/, 'Z')
    case 'day':
      return toIso(value * 86_400_000)?.slice(0, 10)
    case 'month':
      return toIso(Date.UTC(1970, value))?.slice(0, 7)
    case 'year':
      return toIso(Date.UTC(1970 + value))?.slice(0, 4)
    default:
      return undefined
  }
}

const toIso = (ms: number): string | undefined => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined)
