import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { stringifyJson } from '../../../src/formats/json.ts'
import type { Value } from '../../../src/formats/number.ts'
import type { OpenRows } from '../../../src/rows/create-open-rows.ts'
import type { Projection } from '../../../src/rows/projection.ts'
import type { Row } from '../../../src/rows/row.ts'
import type { LoadedTable } from '../../../src/tables/catalog.ts'

/** A row with the names that its table has for its columns; null where it is too large. */
export type TableRow = Readonly<Record<string, Value>> | null

/** Of all rows that are shown, as JSON: a row may have 32 MiB. */
const mostBytes = 64 * 1024 * 1024

/** Reads single rows of a table's files, whichever they are; those beyond {@link mostBytes} together are null. */
export const createReadRowsAt = async (fileSystem: FileSystem, { metadata, metadataUri }: LoadedTable) => {
  const [{ createOpenRows }, { noRegistrar }, { nameMapping, parseMapping }] = await Promise.all([
    import('../../../src/rows/create-open-rows.ts'),
    import('../../../src/rows/registrar/registrar.ts'),
    import('../../../src/tables/name-mapping.ts'),
  ])
  const mapping = metadata.properties.get(nameMapping)
  const projection = {
    columns: metadata.schema.fields,
    ...(mapping === undefined ? {} : { mapping: parseMapping(mapping, metadataUri) }),
  }
  const open = createOpenRows()
  let left = mostBytes
  const toTableRow = ({ names, values }: Row): TableRow => {
    const row = Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]))
    left -= stringifyJson(row).length
    return left < 0 ? null : row
  }
  /** @param path of the file @param positions of rows in it, from 0 */
  return async (path: string, positions: readonly number[]): Promise<ReadonlyMap<number, TableRow>> => {
    const found = new Map<number, TableRow>()
    for await (const [position, row] of readBetween({ open, fileSystem, registrar: noRegistrar }, path, {
      projection,
      positions,
    }))
      found.set(position, toTableRow(row))
    return found
  }
}

type Reader = {
  readonly open: OpenRows
  readonly fileSystem: FileSystem
  readonly registrar: Parameters<OpenRows>[0]['registrar']
}

type Positions = { readonly projection: Projection; readonly positions: readonly number[] }

async function* readBetween(
  { open, fileSystem, registrar }: Reader,
  path: string,
  { projection, positions }: Positions,
): AsyncGenerator<readonly [number, Row], void, undefined> {
  const wanted = new Set(positions)
  const [first, last] = positions.reduce(
    ([least, most], position) => [Math.min(least, position), Math.max(most, position)],
    [Number.POSITIVE_INFINITY, 0],
  )
  const status = await fileSystem.getFileStatus(path)
  const options = { fileSystem, status, registrar, serializers: [], nulls: true, wanted: { projection, first, last } }
  for await (const batch of (await open(options)).batches) {
    let position = batch.first
    for (const row of batch.rows) {
      if (wanted.has(position)) yield [position, row]
      position++
    }
    if (position > last) return
  }
}
