/** A small table, and what is in it by its manifests. */
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { readManifests } from '../../../src/tables/append.ts'
import type { Catalog } from '../../../src/tables/catalog.ts'
import { changeFields } from '../../../src/tables/change-fields.ts'
import type { DataFile } from '../../../src/tables/data-file.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../src/tables/files.ts'
import { entryStatus, readManifest } from '../../../src/tables/manifests.ts'
import type { RestCatalogSettings } from '../../../src/tables/rest/rest-settings.ts'
import type { TableField } from '../../../src/tables/schema.ts'
import { placeTable, toTablePath } from '../../../src/tables/table-place.ts'

export const place = placeTable({ url: 'hdfs://somewhere:8020' }, '/events/Click')

export const dateField: TableField = { id: 1, name: 'eventDate', isRequired: false, type: 'timestamptz' }

/** What every call needs. */
export const calm = { now: () => 1_767_323_045_000, pause: async () => {}, writer: 'c0ffee00'.repeat(4) }

/** A REST catalog without anything that may be left out. */
export const plainCatalog: Omit<RestCatalogSettings, 'uri'> = {
  namespace: ['events'],
  warehouse: undefined,
  prefix: undefined,
  token: undefined,
  credential: undefined,
  oauth2ServerUri: undefined,
  scope: 'catalog',
}

/** Makes the table where it is not there. */
export const makeTable = async (catalog: Catalog): Promise<void> => {
  await changeFields({
    ...calm,
    catalog,
    place,
    toFields: table => (table ? undefined : { fields: [dateField], lastColumnId: 1 }),
    toNew: () => ({ dateField, properties: {} }),
  })
}

export const aFile = (name: string, hour = 490_924): DataFile => ({
  uri: `${place.location}/data/${name}.parquet`,
  rows: 10,
  bytes: 1_000,
  hour,
  sortedBy: 1,
  columnSizes: new Map([[1, 100]]),
  valueCounts: new Map([[1, 10]]),
  nullCounts: new Map([[1, 0]]),
  lowerBounds: new Map(),
  upperBounds: new Map(),
  splitOffsets: [4],
})

/** Names of the files that the current snapshot has, each as often as it has it. */
export const namesIn = async (fileSystem: FileSystem): Promise<string[]> => {
  const table = await createDirectoryCatalog(fileSystem).load(place.path)
  if (!table) return []
  const names: string[] = []
  for (const manifest of await readManifests(fileSystem, table.place, table.metadata)) {
    const bytes = await readFileWhole(fileSystem, toTablePath(table.place, manifest.uri), 1e9)
    for (const { status, file } of readManifest(bytes, manifest))
      if (status !== entryStatus.deleted) names.push(/([^/]+)\.parquet$/.exec(file.text('file_path'))?.[1] ?? '')
  }
  return names.sort()
}
