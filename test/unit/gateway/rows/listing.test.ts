import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FileStatus } from '../../../../src/filesystem/filesystem.ts'
import { createListingLayout, type EntryEnd } from '../../../../src/gateway/rows/listing.ts'

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.string({ maxLength: 8 }), fc.constant('\ud800'))
// Few values, so that neighbours have some in common.
const status: fc.Arbitrary<FileStatus> = fc.record({
  path: text,
  isDirectory: fc.boolean(),
  length: fc.nat(),
  modificationTime: fc.nat(),
  owner: fc.oneof(fc.constant('hdfs'), text),
  group: fc.constantFrom('a', '"b"'),
  permission: fc.constantFrom(0, 0o644, 0o1777),
  replication: fc.nat(),
  blockSize: fc.constantFrom(0, 1),
})
const end: fc.Arbitrary<EntryEnd> = fc
  .record({ serializer: fc.option(text), error: fc.option(text) })
  .map(({ serializer, error }) => ({ serializer: serializer ?? undefined, error: error ?? undefined }))

const toWanted = (entry: FileStatus, { serializer, error }: EntryEnd) => ({
  path: entry.path,
  mtime: entry.modificationTime,
  size: entry.length,
  replication: entry.replication,
  isDir: entry.isDirectory,
  content: [],
  serializer,
  owner: entry.owner,
  group: entry.group,
  permission: entry.permission.toString(8).padStart(4, '0'),
  blockSize: entry.blockSize,
  error,
})

const entries = fc.array(fc.tuple(status, end), { maxLength: 5 })

const write = (pretty: boolean, all: readonly (readonly [FileStatus, EntryEnd])[]): string => {
  const layout = createListingLayout(pretty)
  const parts = all.map(([entry, more], at) => layout.entryStart(entry, at === 0) + layout.entryEnd(entry, false, more))
  return layout.start('/d') + parts.join('') + layout.end(all.length > 0)
}

test('the JSON of any entries is that of their values', () => {
  fc.assert(
    fc.property(entries, all => {
      const want = { path: '/d', parentPath: '/', entries: all.map(([entry, more]) => toWanted(entry, more)) }
      expect(write(false, all)).toBe(JSON.stringify(want))
    }),
  )
})

test('indented, too', () => {
  fc.assert(
    fc.property(entries, all => {
      expect(JSON.parse(write(true, all))).toEqual(JSON.parse(write(false, all)))
    }),
  )
})
