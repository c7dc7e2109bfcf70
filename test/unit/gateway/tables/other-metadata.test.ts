/** Directories with metadata of which it is not known here which of it counts: their rows would be those of files that are no longer of the table. */
import { describe, expect, test } from 'vitest'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { place } from '../../tables/a-table.ts'
import { put, putHour } from '../../tables/parquet-files.ts'
import { createTable, get, getJson, getText, importAll, type Memory, path, rowsOf } from './world.ts'

const putText = (fileSystem: Memory, name: string, text: string): Promise<void> =>
  put(fileSystem, `${path}/metadata/${name}`, Buffer.from(text))

const uuid = '5f0e3a0c-0d5c-4d4e-9d2b-111111111111'

test.each<[string, Record<string, string>, RegExp]>([
  [
    'of a catalog service',
    { [`00000-${uuid}.metadata.json`]: '{}' },
    /422 .*expected v<N>\.metadata\.json, found .*00000-.*its catalog service/,
  ],
  ['of one, compressed', { [`00007-${uuid}.metadata.json.gz`]: '{}' }, /422 .*its catalog service/],
  [
    'of one, behind a hint',
    { [`00007-${uuid}.gz.metadata.json`]: '{}', 'version-hint.text': `00007-${uuid}` },
    /422 .*its catalog service/,
  ],
  ['compressed, without a hint', { 'v1.gz.metadata.json': '' }, /422 .*found version 1 compressed/],
  ['compressed by older writers', { 'v1.metadata.json.gz': '' }, /422 .*found version 1 compressed/],
  [
    'gone behind its hint',
    { 'version-hint.text': '3' },
    /422 .*expected v<N>\.metadata\.json beside version-hint\.text/,
  ],
])('metadata %s is an error', async (_, files, expected) => {
  const fileSystem = createMemoryFileSystem()
  await putHour(fileSystem, path, 8, 8)
  for (const [name, text] of Object.entries(files)) await putText(fileSystem, name, text)
  expect(await getText(fileSystem)).toMatch(expected)
  const { entries } = await getJson(fileSystem, '&recursive=true', '/events')
  expect(entries[0]).toMatchObject({ path, error: expect.stringMatching(/expected/) })
  expect(rowsOf({ entries: entries.filter(({ content }) => content) })).toEqual([])
  const page = await get(fileSystem, `/rest/1.0/hdfs?path=${path}`, { accept: 'text/html' })
  expect(page.text).toContain('This Iceberg table cannot be read.')
  const newest = await get(fileSystem, `/rest/1.0/hdfs?path=${path}&recursive=true`, { accept: 'text/html' })
  expect(newest.text).toContain('1 path could not be read to the end')
  // One file can be.
  const file = `/rest/1.0/text?path=${path}/dt=2026-11-22/hour=08/8.parquet&columns=id`
  expect((await get(fileSystem, file)).text).toBe('8\r\n8\r\n')
})

describe('where other metadata is beside its own', () => {
  test.each([`00000-${uuid}.metadata.json`, 'v-x.txt', 'v0x.json', 'zz'])('with %s the table is read', async name => {
    const fileSystem = await createTable()
    await fileSystem.delete(`${path}/metadata/version-hint.text`)
    await putText(fileSystem, name, '{}')
    expect(rowsOf(await getJson(fileSystem))).toHaveLength(6)
  })

  test('also behind very many manifests, without a hint', async () => {
    const fileSystem = await createTable()
    await fileSystem.delete(`${path}/metadata/version-hint.text`)
    for (let i = 0; i < 100; i++) await putText(fileSystem, `a${i}-m0.avro`, '')
    expect(rowsOf(await getJson(fileSystem))).toHaveLength(6)
  })

  test.each(['v4.gz.metadata.json', 'v4.metadata.json.gz'])('a newer version in %s is an error', async name => {
    const fileSystem = await createTable()
    const version = (await createDirectoryCatalog(fileSystem).load(path))?.version ?? 0
    await putText(fileSystem, name.replace('4', String(version + 1)), '')
    expect(await getText(fileSystem)).toMatch(new RegExp(`422 .*found version ${version + 1} compressed`))
  })
})

test('an import makes no second table beside that of a catalog service', async () => {
  const fileSystem = createMemoryFileSystem()
  await putHour(fileSystem, path, 8, 8)
  await putText(fileSystem, `00000-${uuid}.metadata.json`, '{}')
  await expect(importAll(fileSystem, place)).rejects.toThrow('its catalog service')
})
