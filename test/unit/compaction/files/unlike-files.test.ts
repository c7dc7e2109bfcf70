/** Files that stay apart, or as they are, whatever their bytes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { planFiles } from '../../../../src/compaction/files/plan-files.ts'
import { hadoopOf } from '../../../../src/filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../../../src/filesystem/local.ts'
import { CompactReader } from '../../../../src/formats/parquet/compact.ts'
import { createParquetFile, ParquetMemory } from '../../../../src/formats/parquet/file-writer.ts'
import type { Kind } from '../../../../src/formats/parquet/kind.ts'
import { verifyPages } from '../../../../src/formats/parquet/pages/verify-pages.ts'
import { layOutSchema } from '../../../../src/formats/parquet/rewrite/same-schema.ts'
import { readSchemaElement, type SchemaElement } from '../../../../src/formats/parquet/schema-element.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { compact, hourDirectory, listFiles, namesIn, toOptions, write, written } from './world.ts'

const openWorld = async (files: Readonly<Record<string, Uint8Array | string>>) => {
  const fileSystem = createMemoryFileSystem({ now: () => written })
  for (const [name, bytes] of Object.entries(files)) await write(fileSystem, `${hourDirectory}/${name}`, bytes)
  return fileSystem
}

const row = '{"a":1}\n'
const names = ['a.jsonl', 'b.jsonl', 'c.jsonl', 'd.jsonl']
const four = (): ReturnType<typeof openWorld> => openWorld(Object.fromEntries(names.map(name => [name, row])))
const at = (name: string): string => `${hourDirectory}/${name}`

test('owner, group and permission are those of the sources; others stay apart', async () => {
  const fileSystem = await four()
  for (const [i, name] of names.entries()) {
    await fileSystem.setPermission(at(name), i < 2 ? 0o600 : 0o640)
    await fileSystem.setOwner(at(name), i < 2 ? { owner: 'ann' } : { group: 'staff' })
  }
  const { done, failed } = await compact(fileSystem)
  expect([done.map(({ files }) => files), failed]).toEqual([[2, 2], []])
  const found = await Promise.all(
    (await listFiles(fileSystem, hourDirectory)).map(path => fileSystem.getFileStatus(path)),
  )
  const rights = found.map(({ owner, group, permission }) => `${owner} ${group} ${permission.toString(8)}`)
  expect(rights.sort()).toEqual(['ann memory 600', 'memory staff 640'])
})

test('on a local disk, too', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sluice-unlike-files-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const fileSystem = await createLocalFileSystem({ root })
  for (const name of names) {
    await write(fileSystem, `/logs/${name}`, row)
    await hadoopOf(fileSystem).setPermission(`/logs/${name}`, 0o600)
    await hadoopOf(fileSystem).setTimes(`/logs/${name}`, { modificationTime: written })
  }
  const { done } = await compact(fileSystem, {}, '/logs')
  expect(done.map(({ files }) => files)).toEqual([4])
  const [path = ''] = await listFiles(fileSystem, '/logs')
  expect((await fileSystem.getFileStatus(path)).permission).toBe(0o600)
})

test('the result is never readable by others, not even while it is written', async () => {
  const fileSystem = await four()
  for (const name of names) await fileSystem.setPermission(at(name), 0o600)
  const seen: (number | undefined)[] = []
  const publish: FileSystem['publish'] = (path, source, options) => {
    if (path.includes('/results/')) seen.push(options?.permission)
    return fileSystem.publish(path, source, options)
  }
  await compact({ ...fileSystem, publish })
  expect(seen).toEqual([0o600])
})

test('where the owner cannot be given, the files stay, and are named', async () => {
  const fileSystem = await four()
  for (const name of names) await fileSystem.setOwner(at(name), { owner: 'ann' })
  const setOwner = async (path: string): Promise<void> => {
    throw new FileSystemError('denied', path, 'not the superuser')
  }
  const { done, failed } = await compact({ ...fileSystem, hadoop: { ...fileSystem.hadoop, setOwner } })
  expect([done, failed]).toEqual([[], [{ path: hourDirectory, reason: 'not the superuser' }]])
  const ignored = await compact({ ...fileSystem, hadoop: { ...fileSystem.hadoop, setOwner: async () => {} } })
  expect([ignored.done, ignored.failed]).toEqual([
    [],
    [{ path: hourDirectory, reason: expect.stringContaining('the owner, group and permission of its sources') }],
  ])
  expect(await namesIn(fileSystem, '/events')).toEqual(names)
})

test('a file with an ACL stays', async () => {
  const fileSystem = await four()
  const listStatus: FileSystem['listStatus'] = async function* (path, options) {
    for await (const part of fileSystem.listStatus(path, options))
      yield part.map(one => (one.path === at('b.jsonl') ? { ...one, attributes: ['HAS_ACL'] as const } : one))
  }
  const { done, left } = await compact({ ...fileSystem, listStatus })
  expect([done.map(({ files }) => files), left]).toEqual([[3], [{ path: at('b.jsonl'), reason: 'it has an ACL' }]])
})

test('many damaged files are found in one pass', async () => {
  const damaged = Array.from({ length: 20 }, (_, i) => `damaged-${String(i).padStart(2, '0')}.jsonl`)
  const invalid = Uint8Array.of(0x7b, 0x22, 0xe4, 0x22, 0x7d, 0x0a)
  const fileSystem = await openWorld({
    ...Object.fromEntries(damaged.map(name => [name, invalid])),
    'good-a.jsonl': row,
    'good-b.jsonl': row,
  })
  let writes = 0
  const publish: FileSystem['publish'] = (path, source, options) => {
    if (path.includes('/results/')) writes++
    return fileSystem.publish(path, source, options)
  }
  const { done, failed } = await compact({ ...fileSystem, publish })
  expect(done.map(({ files }) => files)).toEqual([2])
  expect(failed.map(({ path }) => path)).toEqual(damaged.map(at))
  expect(writes).toBe(2)
})

test('files that were changed or opened meanwhile are found in one pass, too', async () => {
  const fileSystem = await four()
  let [writes, looks] = [0, 0]
  const publish: FileSystem['publish'] = (path, source, options) => {
    if (path.includes('/results/')) writes++
    return fileSystem.publish(path, source, options)
  }
  // Closed while it is planned.
  const isClosed = async (path: string): Promise<boolean> => ++looks <= names.length || !/[ab]\.jsonl$/.test(path)
  const { done, failed } = await compact({ ...fileSystem, publish }, { isClosed })
  expect([done.map(({ files }) => files), failed]).toEqual([
    [2],
    ['a.jsonl', 'b.jsonl'].map(name => ({ path: at(name), reason: 'it is open for writing' })),
  ])
  expect(writes).toBe(2)
})

test('a plan of Parquet has a short key of each schema, however long that is', async () => {
  const long = 'x'.repeat(100_000)
  const file = (name: string): Uint8Array => {
    const kinds = { struct: new Map<string, Kind>([[name, 'text']]) }
    const written = createParquetFile(kinds, 'zstd', new ParquetMemory())
    const group = written.openGroup()
    group.set(0, 'x')
    group.endRow()
    written.writeGroup(group)
    return written.finish()
  }
  const fileSystem = await openWorld({ 'a.parquet': file(long), 'b.parquet': file(long), 'c.parquet': file('y') })
  const { merges } = await planFiles(toOptions(fileSystem), '/events')
  expect(merges.map(({ files }) => files.length)).toEqual([2])
  expect(JSON.stringify(merges).length).toBeLessThan(5_000)
})

const document = '{"a":1}\n'

test.each<[what: string, files: Readonly<Record<string, string>>, merged: number]>([
  ['documents of one line', { 'a.json': document, 'b.json': document.trim(), 'c.json': document }, 0],
  ['the same, of another name', { 'a.events': document, 'b.events': document }, 0],
  ['lines, and one line', { 'a.json': document, 'b.json': `${document}\n ${document}` }, 2],
  ['one line, as Spark names it', { 'part-0.json': document, 'part-1.json': document }, 2],
  ['one line that is called lines', { 'a.jsonl': document, 'b.ndjson': document, 'c.jsonl': document }, 2],
  ['an array in each line', { 'a.jsonl': '[1]\n[2]\n', 'b.jsonl': '[3]' }, 2],
])('documents are not lines: %s', async (_, files, merged) => {
  const fileSystem = await openWorld(files)
  const { done, left } = await compact(fileSystem)
  expect(done.map(one => one.files)).toEqual(merged === 0 ? [] : [merged])
  if (merged > 0) return
  expect(left).toEqual(
    Object.keys(files).map(name => ({
      path: at(name),
      reason: 'it may be a document: neither it nor another file there has a second line',
    })),
  )
})

test('types of Parquet that are not known are not written without what they mean', () => {
  const layOut = (element: Partial<SchemaElement>) =>
    layOutSchema([
      { name: 'schema', repetition: 'required', children: 1 },
      { name: 'n', repetition: 'required', type: 'INT32', ...element },
    ])
  expect(() => layOut({})).not.toThrow()
  expect(() => layOut({ isForeign: true })).toThrow('found one that is not known')
  // SchemaElement: type 1, name 4, and LogicalType 10 or ConvertedType 6.
  const read = (...bytes: readonly number[]): SchemaElement =>
    readSchemaElement(new CompactReader(Buffer.of(0x15, 0x02, 0x38, 0x01, 0x6e, ...bytes, 0), 0), 12)
  expect(read().isForeign).toBeUndefined()
  expect(read(0x6c, 0x6c, 0, 0)).toMatchObject({ logical: { kind: 'DATE' } })
  expect(read(0x6c, 0x6c, 0, 0).isForeign).toBeUndefined()
  expect(read(0x6c, 0x0c, 0x32, 0, 0).isForeign).toBe(true)
  expect(read(0x25, 0x0c)).toMatchObject({ converted: 'DATE' })
  expect(read(0x25, 0x7e).isForeign).toBe(true)
  // TIMESTAMP of MICROS, and of a unit that is not known.
  expect(read(0x6c, 0x8c, 0x12, 0x1c, 0x2c, 0, 0, 0, 0)).toMatchObject({ logical: { unit: 'MICROS', isUtc: false } })
  expect(read(0x6c, 0x8c, 0x12, 0x1c, 0x4c, 0, 0, 0, 0)).toMatchObject({ logical: undefined, isForeign: true })
  expect(read(0x6c, 0x8c, 0x12, 0, 0)).toMatchObject({ logical: undefined, isForeign: true })
})

test.each<[what: string, ...bytes: readonly number[]]>([
  ['type', 0x15, 0x10, 0x38, 0x01, 0x6e, 0],
  ['repetition', 0x15, 0x02, 0x25, 0x06, 0x18, 0x01, 0x6e, 0],
])('a schema with a %s that is not known is not written', (_, ...bytes) => {
  expect(readSchemaElement(new CompactReader(Buffer.from(bytes), 0), 12)).toMatchObject({ name: 'n', isForeign: true })
})

test('Parquet with a column that is encrypted is left, and says so', async () => {
  const fileSystem = await openWorld({})
  const file = { size: 8, read: async () => Buffer.alloc(0) }
  const group = { chunks: () => [{ isEncrypted: true, meta: undefined, filePath: undefined, offsetIndex: undefined }] }
  await expect(verifyPages(file, { groups: [group] })).rejects.toThrow('found one that is encrypted')
  await fileSystem.close()
})

test('a file whose directory has a default ACL is not merged: the new file would let others read it', async () => {
  for (const where of ['/claim', '/results/']) {
    const fileSystem = await four()
    let reads = 0
    const isGiven = (path: string): boolean => path.includes('/_compaction/') && path.includes(where)
    const withAcl: FileSystem = {
      ...fileSystem,
      getFileStatus: async path => {
        const status = await fileSystem.getFileStatus(path)
        return isGiven(path) ? { ...status, attributes: ['HAS_ACL'] } : status
      },
      open: async (path, options) => {
        if (/\/[a-d]\.jsonl$/.test(path)) reads++
        return await fileSystem.open(path, options)
      },
    }
    const { done, failed } = await compact(withAcl)
    expect([done, failed]).toEqual([[], [{ path: hourDirectory, reason: expect.stringContaining('default ACL') }]])
    expect(await listFiles(fileSystem, '/events')).toEqual(names.map(at))
    // Opened to find out what each is, and the claim to undo it: no source was read for a result that is not to be.
    if (where === '/claim') expect(reads).toBe(names.length)
  }
})

test('the new file has as many copies as the source with most; erasure coding is as the directory has it', async () => {
  for (const [attributes, expected] of [
    [undefined, 3],
    [['HAS_EC'] as const, 1],
  ] as const) {
    const fileSystem = await four()
    await fileSystem.setReplication(at('b.jsonl'), 3)
    const listStatus: FileSystem['listStatus'] = async function* (...args) {
      for await (const part of fileSystem.listStatus(...args))
        yield part.map(status => (attributes ? { ...status, attributes } : status))
    }
    await compact({ ...fileSystem, listStatus })
    const [result = ''] = await listFiles(fileSystem, hourDirectory)
    expect((await fileSystem.getFileStatus(result)).replication).toBe(expected)
  }
})
