/**
 * The files that a segment was sealed into, beside the ledger: if the ledger is damaged, a start still knows where each
 * bucket file belongs. `lists/NNNNNNNNNN.list` is written before the ledger's entry, and removed with the last of its
 * files. The header (see `format-header.ts`) is followed by frames of type 1, each an entry `files` as in the ledger.
 */

import type { Disk } from '../../disk/disk.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { UnknownWord } from '../framing/check.ts'
import { encodeHeader, formats, readFormat, UnknownFormat } from '../framing/format-header.ts'
import { toFrame } from '../framing/framing.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { parseEntry } from './ledger-entry.ts'

/** Files in one frame: some 200 KB. */
const filesPerFrame = 500

export const sealedListPath = (segment: number): string => `lists/${String(segment).padStart(10, '0')}.list`

export const encodeSealedList = (files: readonly BucketFile[]): Uint8Array => {
  const frames = [encodeHeader('list')]
  for (let at = 0; at < files.length; at += filesPerFrame) {
    const records = files.slice(at, at + filesPerFrame).map(file => ({ file, state: { at: 'sealed' as const } }))
    const entry: LedgerEntry = { type: 'files', files: records }
    frames.push(toFrame(formats.list.frames.files, new TextEncoder().encode(JSON.stringify(entry))))
  }
  return Buffer.concat(frames)
}

/** The files of a segment as far as its list can be read; none without a list. @throws UnknownFormat */
export const readSealedList = async (disk: Pick<Disk, 'read'>, segment: number): Promise<BucketFile[]> => {
  const path = sealedListPath(segment)
  const files: BucketFile[] = []
  try {
    for (const { payload } of readFormat(await disk.read(path), path, 'list')) {
      const entry = parseEntry(payload)
      if (entry.type === 'files') files.push(...entry.files.map(({ file }) => file))
    }
  } catch (error) {
    if (error instanceof UnknownFormat) throw error
    if (error instanceof UnknownWord) throw new UnknownFormat(path, 'list', formats.list.reads, error.message)
    // Missing, or on a bad sector: what it would have said is not known, then.
  }
  return files
}
