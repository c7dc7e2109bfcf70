import { describe, expect, test } from 'vitest'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { appendFiles, readManifests } from '../../../src/tables/append.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import type { TableMetadata } from '../../../src/tables/metadata.ts'
import { createMemoryFileSystem, type MemoryFault } from '../../suites/memory-filesystem.ts'
import { createMortalView } from '../../suites/mortal-view.ts'
import { aFile, calm, makeTable, namesIn, place } from './a-table.ts'
import { put } from './parquet-files.ts'

/** Appends a file once, as a writer does that has one property for what of it is in. */
const append = (fileSystem: FileSystem, writer: string, number: number) => {
  const property = `done.${writer}`
  const isIn = ({ properties }: TableMetadata): boolean => Number(properties.get(property) ?? 0) >= number
  return appendFiles({
    ...calm,
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    path: place.path,
    toAppend: async table =>
      isIn(table)
        ? undefined
        : { files: [aFile(`${writer}-${number}`)], properties: new Map([[property, String(number)]]) },
  })
}

/** As a writer does that hears no answer: again. */
const insist = async (once: () => Promise<unknown>, tries = 30): Promise<void> => {
  for (let left = tries; ; left--) {
    try {
      await once()
      return
    } catch (error) {
      if (left === 0 || !(error instanceof FileSystemError && error.code === 'unavailable')) throw error
    }
  }
}

const appended = (writers: readonly string[], files: number): string[] =>
  writers.flatMap(writer => Array.from({ length: files }, (_, i) => `${writer}-${i + 1}`)).sort()

describe('files appended to a table', () => {
  test('are in it once each, with totals, a log and the properties', async () => {
    const fileSystem = createMemoryFileSystem()
    const catalog = createDirectoryCatalog(fileSystem)
    await makeTable(catalog)
    for (let i = 1; i <= 3; i++) await append(fileSystem, 'a', i)
    expect(await append(fileSystem, 'a', 3)).toBeUndefined()
    expect(await namesIn(fileSystem)).toEqual(['a-1', 'a-2', 'a-3'])
    const table = (await catalog.load(place.path))?.metadata
    expect(table?.snapshots).toHaveLength(3)
    expect(table?.current?.summary.get('total-records')).toBe('30')
    expect(table?.current?.parentId).toBe(table?.snapshots[1]?.id)
    expect(table?.properties.get('done.a')).toBe('3')
    expect(table?.json['metadata-log']).toHaveLength(3)
  })

  test('are in it by few calls', async () => {
    const calls: string[] = []
    const fileSystem = createMemoryFileSystem({
      fail: (operation, path) => {
        const name = path
          .slice(path.lastIndexOf('/') + 1)
          .replaceAll(/[\da-f]{32}-\d+-[\da-f]{16}|[\da-f]{24}|(?<=snap-)\d+/g, '…')
        calls.push(`${operation} ${name}`)
        return undefined
      },
    })
    await makeTable(createDirectoryCatalog(fileSystem))
    for (let i = 1; i <= 2; i++) await append(fileSystem, 'a', i)
    calls.length = 0
    await append(fileSystem, 'a', 3)
    const written = ['create .sluice-….tmp', 'getFileStatus .sluice-….tmp', 'rename .sluice-….tmp']
    expect(calls).toEqual([
      // What the table is now,
      'open version-hint.text',
      'getFileStatus v3.metadata.json',
      'getFileStatus v4.metadata.json',
      'getFileStatus v4.gz.metadata.json',
      'getFileStatus v4.metadata.json.gz',
      'open v3.metadata.json',
      // the manifest of the files,
      ...written,
      'open snap-…-1-….avro',
      // the list with it,
      ...written,
      // the table with that,
      ...written,
      // and where to look for it.
      'open version-hint.text',
      ...written,
    ])
  })

  test('by several writers at once are all in it', async () => {
    const fileSystem = createMemoryFileSystem()
    await makeTable(createDirectoryCatalog(fileSystem))
    const writers = ['a', 'b', 'c']
    await Promise.all(
      writers.map(async writer => {
        for (let i = 1; i <= 10; i++) await append(fileSystem, writer, i)
      }),
    )
    expect(await namesIn(fileSystem)).toEqual(appended(writers, 10))
  })

  const faults: readonly MemoryFault[] = ['lost-reply', 'torn', new FileSystemError('unavailable', '/', 'away')]
  test.each(faults)('are in it once each whichever call of two writers goes wrong: %s', async fault => {
    // More calls than two appends of each make.
    for (let failing = 0; failing < 120; failing++) {
      let calls = 0
      let isOn = false
      const fileSystem = createMemoryFileSystem({ fail: () => (isOn && calls++ === failing ? fault : undefined) })
      await makeTable(createDirectoryCatalog(fileSystem))
      isOn = true
      await Promise.all(
        ['a', 'b'].map(async writer => {
          for (let i = 1; i <= 2; i++) await insist(() => append(fileSystem, writer, i))
        }),
      )
      expect(await namesIn(fileSystem), `call ${failing}`).toEqual(appended(['a', 'b'], 2))
    }
  })

  test('are in it once each when their writer dies at any call, and another one goes on', async () => {
    for (let last = 0; last < 60; last++) {
      let calls = 0
      const fileSystem = createMemoryFileSystem({ fail: () => void calls++ })
      await makeTable(createDirectoryCatalog(fileSystem))
      await append(fileSystem, 'a', 1)
      const from = calls
      const view = createMortalView(fileSystem, () => calls > from + last)
      let isOver = false
      void append(view, 'a', 2).then(() => {
        isOver = true
      })
      // Nothing of the memory waits for anything but the next turn.
      for (let turns = 0; turns < 400 && !isOver; turns++) await new Promise<void>(resolve => setImmediate(resolve))
      await append(fileSystem, 'a', 2)
      expect(await namesIn(fileSystem), `after ${last} calls`).toEqual(['a-1', 'a-2'])
    }
  })

  test('a manifest by manifest, until there are many: then small ones become one, and every file stays', async () => {
    const fileSystem = createMemoryFileSystem()
    const catalog = createDirectoryCatalog(fileSystem)
    await makeTable(catalog)
    for (let i = 1; i <= 130; i++) await append(fileSystem, 'a', i)
    expect(await namesIn(fileSystem)).toEqual(appended(['a'], 130))
    const table = await catalog.load(place.path)
    if (!table) throw new Error('there is no table')
    const manifests = await readManifests(fileSystem, table.place, table.metadata)
    expect(manifests.length).toBeLessThan(50)
    expect(
      manifests.reduce(
        (sum, { json }) => sum + Number(json['added_files_count']) + Number(json['existing_files_count']),
        0,
      ),
    ).toBe(130)
    expect(manifests.map(({ minSequenceNumber }) => minSequenceNumber).reduce((a, b) => (a < b ? a : b))).toBe(1n)
  })
})

describe('a table whose directory is the catalog', () => {
  test.each(['there', 'missing', 'damaged'])(
    'a writer that slept while others went on, and their old metadata were removed, does not make it anew; the hint is %s',
    async hint => {
      const fileSystem = createMemoryFileSystem()
      const catalog = createDirectoryCatalog(fileSystem)
      await makeTable(catalog)
      const slept = await catalog.load(place.path)
      for (let i = 1; i <= 5; i++) await append(fileSystem, 'a', i)
      await fileSystem.delete(`${place.path}/metadata/v2.metadata.json`)
      const hintPath = `${place.path}/metadata/version-hint.text`
      if (hint !== 'there') await fileSystem.delete(hintPath)
      if (hint === 'damaged') await put(fileSystem, hintPath, Buffer.from('v6'))
      if (!slept) throw new Error('there is no table')
      // v2 is free again, and v3 to v6 are the truth.
      const log = { ...slept.metadata.json, 'last-updated-ms': calm.now() - 1, properties: { from: 'the sleeper' } }
      expect(await catalog.commit(slept, log)).toBe('unknown')
      expect((await catalog.load(place.path))?.version).toBe(6)
      expect(await namesIn(fileSystem)).toEqual(appended(['a'], 5))
    },
  )

  test.each([
    ['missing', undefined],
    ['behind', '2'],
    ['of a file that is not there', '17'],
    ['damaged', 'two'],
    ['empty', ''],
  ])('is found where the hint is %s', async (_, hint) => {
    const fileSystem = createMemoryFileSystem()
    await makeTable(createDirectoryCatalog(fileSystem))
    for (let i = 1; i <= 3; i++) await append(fileSystem, 'a', i)
    const path = `${place.path}/metadata/version-hint.text`
    if (hint === undefined) await fileSystem.delete(path)
    else
      await fileSystem.publish(
        path,
        (async function* () {
          yield Buffer.from(hint)
        })(),
        { overwrite: true },
      )
    expect((await createDirectoryCatalog(fileSystem).load(place.path))?.version).toBe(4)
  })

  test('its metadata keeps what Sluice does not know, and ids of 63 bits', async () => {
    const fileSystem = createMemoryFileSystem()
    const catalog = createDirectoryCatalog(fileSystem)
    await makeTable(catalog)
    await append(fileSystem, 'a', 1)
    const table = await catalog.load(place.path)
    const [snapshot] = (table?.metadata.json['snapshots'] ?? []) as { [name: string]: never }[]
    const id = 9_223_372_036_854_775_806n
    const foreign = {
      ...table?.metadata.json,
      'current-snapshot-id': id,
      snapshots: [{ ...snapshot, 'snapshot-id': id }],
      'a-new-member': [0.1, { x: null }],
    }
    if (!table) throw new Error('there is no table')
    expect(await catalog.commit(table, foreign)).toBe('done')
    await append(fileSystem, 'a', 2)
    const after = await catalog.load(place.path)
    expect(after?.metadata.snapshots.map(one => one.id)[0]).toBe(id)
    expect(after?.metadata.current?.parentId).toBe(id)
    expect(after?.metadata.json['a-new-member']).toEqual([0.1, { x: null }])
    expect(await namesIn(fileSystem)).toEqual(['a-1', 'a-2'])
  })

  test.each<[string, (json: { [name: string]: unknown }) => void, RegExp]>([
    [
      'another version of the format',
      json => void Object.assign(json, { 'format-version': 3 }),
      /format version 2 of Iceberg, found 3/,
    ],
    [
      'a current schema that is not there',
      json => void Object.assign(json, { 'current-schema-id': 7 }),
      /"current-schema-id" is 7/,
    ],
    [
      'a current snapshot that is not there',
      json => void Object.assign(json, { 'current-snapshot-id': 7 }),
      /snapshot 7 is not among/,
    ],
    ['no location', json => void Object.assign(json, { location: undefined }), /expected a text in "location"/],
    [
      'fields that tell rows apart of which one has no number',
      json => void Object.assign(json, { schemas: [{ type: 'struct', fields: [], 'identifier-field-ids': ['x'] }] }),
      /identifier-field-ids/,
    ],
    ['a schema that is no object', json => void Object.assign(json, { schemas: [1] }), /schemas 0: expected an object/],
  ])('is refused with the place of %s', async (_, damage, message) => {
    const fileSystem = createMemoryFileSystem()
    const catalog = createDirectoryCatalog(fileSystem)
    await makeTable(catalog)
    const json = structuredClone({ ...(await catalog.load(place.path))?.metadata.json })
    damage(json)
    const bytes = Buffer.from(JSON.stringify(json))
    await fileSystem.publish(
      `${place.path}/metadata/v2.metadata.json`,
      (async function* () {
        yield bytes
      })(),
    )
    await expect(catalog.load(place.path)).rejects.toThrow(message)
  })
})
