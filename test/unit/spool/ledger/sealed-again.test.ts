import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { commitFile } from '../../../../src/spool/commit/commit.ts'
import type { BucketFile, FileRecord } from '../../../../src/spool/files/bucket-file.ts'
import { openLedger, readLedger } from '../../../../src/spool/ledger/ledger.ts'
import type { LedgerEntry } from '../../../../src/spool/ledger/ledger-entry.ts'
import { applyEntry, createLedgerState, toLocalFile } from '../../../../src/spool/ledger/ledger-state.ts'
import { chunksOf, readText } from '../../../suites/file-text.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const text = 'as it was sealed'
const other = 'as another version makes it'
const file: BucketFile = {
  name: 'f.jsonl',
  directory: '/events',
  segment: 1,
  format: 'jsonl',
  codec: 'none',
  kind: 'smile',
  events: 1,
  oldest: 0,
  length: text.length,
  crc: crc32(text),
}
const anew = { length: other.length, crc: crc32(other) }
const { name } = file

const sealed = (one: BucketFile = file): LedgerEntry => ({ type: 'sealed', segment: 1, files: [one], damage: [] })
const again = sealed({ ...file, ...anew, directory: '/by/the/settings/of/now' })
const moving: LedgerEntry = { type: 'moving', name, temporary: '/events/_tmp/id/f' }
const conflict: LedgerEntry = { type: 'quarantined', name, reason: 'r', nameTaken: true }

const recordAfter = (...entries: readonly LedgerEntry[]): FileRecord | undefined => {
  const state = createLedgerState(true)
  for (const entry of entries) applyEntry(state, entry)
  return state.files.get(name)
}

describe('a file that is made again, of other bytes', () => {
  test.each<[string, readonly LedgerEntry[], Partial<BucketFile>, FileRecord['state']]>([
    ['waits', [], anew, { at: 'sealed' }],
    ['was refused', [{ type: 'quarantined', name, reason: 'r' }], anew, { at: 'sealed' }],
    ['is on its way', [moving], {}, { at: 'moving', temporary: '/events/_tmp/id/f', anew }],
    ['is in the file system', [moving, { type: 'committed', name, at: 5 }], {}, { at: 'committed', since: 5 }],
    ['may be there', [moving, { type: 'taken', name, reason: 'r' }], anew, { at: 'taken', reason: 'r' }],
    ['has its name taken', [conflict], anew, { at: 'quarantined', reason: 'r', nameTaken: true }],
  ])('and %s', (_, entries, made, state) => {
    expect(recordAfter(sealed(), ...entries, again)).toEqual({ file: { ...file, ...made }, state })
  })

  test.each<[string, LedgerEntry, Partial<BucketFile>]>([
    ['is there after all', { type: 'committed', name, at: 5 }, {}],
    ['is gone', { type: 'requeued', name }, anew],
    ['may be there', { type: 'taken', name, reason: 'r' }, anew],
    ['finds its name taken', conflict, anew],
    ['is sent again', { ...moving, temporary: '/events/_tmp/id/g' }, anew],
  ])('and was on its way, and %s', (_, entry, made) => {
    expect(recordAfter(sealed(), moving, again, entry)?.file).toEqual({ ...file, ...made })
  })

  test('keeps the new name that a person has given it', () => {
    const named = { ...file, targetName: 'g.jsonl' }
    const released: LedgerEntry = { type: 'files', files: [{ file: named, state: { at: 'sealed' } }] }
    expect(recordAfter(sealed(), conflict, released, again)?.file).toEqual({ ...named, ...anew })
  })

  test('is known after a restart', async () => {
    const disk = createTearingDisk()
    const open = () => openLedger(disk, true, () => Promise.reject(new Error('nothing is damaged')))
    const ledger = await open()
    await ledger.append(sealed())
    await ledger.append(moving)
    await ledger.append({ type: 'sealed', segment: 2, files: [{ ...file, ...anew }], damage: [] })
    await ledger.close()
    await (await open()).close()
    expect((await readLedger(disk)).files.get(name)?.state).toEqual({
      at: 'moving',
      temporary: '/events/_tmp/id/f',
      anew,
    })
  })
})

test('a file that is made again, of the same bytes, is the same', () => {
  expect(recordAfter(sealed(), moving, sealed())).toEqual(recordAfter(sealed(), moving))
})

describe('a commit of a file that was on its way, and was made again of other bytes', () => {
  const commit = async (found: { readonly target?: string; readonly temporary?: string }) => {
    const fileSystem = createMemoryFileSystem()
    const temporary = '/events/_tmp/id/f'
    if (found.target) await fileSystem.create('/events/f.jsonl', chunksOf(found.target))
    if (found.temporary) await fileSystem.create(temporary, chunksOf(found.temporary))
    const record: FileRecord = { file, state: { at: 'moving', temporary, anew } }
    const outcome = await commitFile(
      {
        disk: { stream: () => chunksOf(other) },
        ledger: { append: async () => {} },
        fileSystem,
        temporaryDirectory: '/events/_tmp/id',
        uploading: new Set(),
        doubtful: new Set(),
        now: () => 1,
        signal: new AbortController().signal,
      },
      record,
    )
    return [outcome, await readText(fileSystem, '/events/f.jsonl').catch(() => undefined)]
  }

  test('goes by the bytes that were sent', async () => {
    expect(await commit({ target: text })).toEqual(['committed', text])
    expect(await commit({ temporary: text })).toEqual(['committed', text])
  })

  test('sends the new ones where those were cut', async () => {
    expect(await commit({ temporary: text.slice(1) })).toEqual(['committed', other])
  })

  test('leaves it to a person where they are gone', async () => {
    expect(await commit({})).toEqual(['taken', undefined])
  })
})

test('the local copy is the file that was made last', () => {
  expect(toLocalFile({ file, state: { at: 'sealed' } })).toBe(file)
  expect(toLocalFile({ file, state: { at: 'moving', temporary: 't', anew } })).toEqual({ ...file, ...anew })
})
