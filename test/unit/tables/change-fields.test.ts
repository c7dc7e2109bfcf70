import { expect, test } from 'vitest'
import { appendFiles } from '../../../src/tables/append.ts'
import { changeFields } from '../../../src/tables/change-fields.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { Members } from '../../../src/tables/members.ts'
import { toMetadata, withFields } from '../../../src/tables/metadata.ts'
import { newMetadata } from '../../../src/tables/new-table.ts'
import { type TableField, toSchemaJson } from '../../../src/tables/schema.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { aFile, calm, dateField, place } from './a-table.ts'

test('schemas that neither a snapshot nor the table has any more go, and ids of schemas are those of one alone', async () => {
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  const schemasNow = async () => {
    const { json, schema } = (await catalog.load(place.path))?.metadata ?? {}
    const schemas = Array.isArray(json?.['schemas']) ? json['schemas'] : []
    return { ids: schemas.map(one => new Members(one, 'schemas').integer('schema-id')), current: schema?.id }
  }
  const addField = async (id: number): Promise<void> => {
    const next: TableField = { id, name: `c${id}`, isRequired: false, type: 'long' }
    let isDone = false
    const toFields = (table: Awaited<ReturnType<typeof catalog.load>>) => {
      if (isDone) return undefined
      isDone = true
      return { fields: [...(table?.metadata.schema.fields ?? [dateField]), next], lastColumnId: id }
    }
    await changeFields({ ...calm, catalog, place, toFields, toNew: () => ({ dateField, properties: {} }) })
  }
  await addField(2)
  expect(await schemasNow()).toEqual({ ids: [0], current: 0 })
  const toAppend = async () => ({ files: [aFile('one')] })
  await appendFiles({ ...calm, fileSystem, catalog, path: place.path, toAppend })
  for (const id of [3, 4, 5, 6]) await addField(id)
  // That of the snapshot, the one before, and the one now.
  expect(await schemasNow()).toEqual({ ids: [0, 3, 4], current: 4 })
})

test('fields that tell rows apart stay those when a column is added', () => {
  const fields: TableField[] = [dateField, { id: 2, name: 'id', isRequired: true, type: 'long' }]
  const made = newMetadata({ location: '/t', fields, lastColumnId: 2, dateField: undefined, properties: {}, now: 1 })
  const table = toMetadata({ ...made, schemas: [toSchemaJson({ id: 0, fields, identifierIds: [2] })] }, 'here')
  const next: TableField = { id: 3, name: 'c', isRequired: false, type: 'long' }
  const step = { now: 2, baseUri: '/t/metadata/v1.metadata.json' }
  const { schema } = toMetadata({ ...withFields(table, { fields: [...fields, next], lastColumnId: 3 }, step) }, 'there')
  expect(schema).toEqual({ id: 1, fields: [...fields, next], identifierIds: [2] })
})
