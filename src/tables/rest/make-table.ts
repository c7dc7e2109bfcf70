import type { FileSystem } from '../../filesystem/filesystem.ts'
import { isObject } from '../../formats/members.ts'
import type { TableCommit } from '../catalog.ts'
import { type Json, Members } from '../members.ts'
import { createVersions } from '../metadata-versions.ts'
import { TableError } from '../table-error.ts'
import type { TablePlace } from '../table-place.ts'
import { type CatalogTable, isNoSuch } from './catalog-table.ts'
import { sendChange } from './send-change.ts'
import { onlyOf, toNewTable } from './table-updates.ts'

/** The catalog removes the files of metadata that it forgets: it writes one with each change. */
const ofCatalogs = { 'write.metadata.delete-after-commit.enabled': 'true' }

/**
 * Makes a table: prepared by the catalog (`stage-create`), then as a change of one that is not there. So the ids of its columns are
 * ours, which a table that is made at once need not keep.
 * @throws TableError the catalog wants it elsewhere, or there is one without a catalog
 */
export const makeTable = async (
  table: CatalogTable,
  { path, location }: TablePlace,
  metadata: Json,
  fileSystem: FileSystem,
): Promise<TableCommit> => {
  if ((await createVersions(fileSystem).findNewest(path)) > 0)
    throw new TableError(table.where, `${path} is a table outside the catalog: register it there, or move it`)
  const properties = { ...new Members(metadata['properties'], table.where).json, ...ofCatalogs }
  const all = { ...metadata, properties }
  const body = {
    name: table.name,
    location,
    schema: onlyOf(all, 'schemas'),
    'partition-spec': onlyOf(all, 'partition-specs'),
    'write-order': onlyOf(all, 'sort-orders'),
    'stage-create': true,
    properties,
  }
  let answer = await table.make(body)
  if (isNoSuch(answer)) {
    await table.makeNamespace()
    answer = await table.make(body)
  }
  if (answer.status === 409) return 'refused'
  if (answer.status !== 200 || !isObject(answer.json)) throw table.toFault('make', answer)
  const staged = new Members(answer.json['metadata'], table.where)
  const found = staged.text('location').replace(/\/+$/, '')
  if (found !== location) {
    const expected = `expected it at ${location}, where this server writes its files`
    throw new TableError(table.where, `${expected}, and the catalog would make it at ${found}`)
  }
  const uuid = staged.text('table-uuid')
  const outcome = await sendChange(table, toNewTable(all, uuid), uuid)
  return outcome === 'conflict' ? 'refused' : outcome
}
