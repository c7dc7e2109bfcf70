// node-only: reads and moves files of the predecessor
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Batch } from '../../../src/spool/batch.ts'
import type { OfflineSpool } from '../../../src/spool/tool/offline.ts'
import { createSegmentBuilder } from '../../../src/spool/tool/segment-writer.ts'
import { closeCut } from './close-cut.ts'
import { importedName, type OldFile, type OldPlace, type OldSpool, parseWriterName, readOldSpool } from './old-spool.ts'
import { formatOf, readOldEvents, unpackOldFile } from './read-events.ts'

/** Files of the predecessor are read whole; its default was 60 seconds of events in each. */
const maxFileBytes = 2 ** 30

/** The most details that are reported for each file. */
const maxDetails = 5

/** The outcome for one file. */
export type ImportedFile = {
  readonly file: string
  readonly place: OldPlace
  readonly bytes: number
  readonly events: number
  /** Events or stretches that cannot be read. */
  readonly unreadable: number
  readonly details: readonly string[]
  /** `known`: an earlier run appended it; `left`: nothing of it could be taken. */
  readonly outcome: 'imported' | 'known' | 'left'
}

export type ImportReport = {
  readonly files: readonly ImportedFile[]
  readonly events: number
  readonly unreadable: number
  /** Directories whose names say nothing. */
  readonly skipped: readonly string[]
}

export type ImportOptions = {
  /** Undefined: reads everything, changes nothing. */
  readonly spool: OfflineSpool | undefined
  readonly root: string
  /** Leaves the files where they are. @default false: they are moved to `_imported/` beside them */
  readonly keep?: boolean
  readonly onProgress?: (doneBytes: number, totalBytes: number, file: string) => void
}

/**
 * Takes the events of a predecessor's spool into this one. A file is moved away only when what could be read of it is
 * safe here; a file that was taken before is recognised, so an import that was cut short can be run again.
 */
export const importSpool = async (options: ImportOptions): Promise<ImportReport> => {
  const old = await readOldSpool(options.root)
  const total = old.files.reduce((sum, { bytes }) => sum + bytes, 0)
  if (options.spool) await checkSpace(options.spool, total)
  const writer = options.spool && createSegmentBuilder(options.spool)
  const files: ImportedFile[] = []
  let staged: OldFile[] = []
  let done = 0
  const publish = async (): Promise<void> => {
    await writer?.publish()
    if (!options.keep && writer) for (const file of staged) await moveAway(options.root, file)
    staged = []
  }
  try {
    for (const file of old.files) {
      options.onProgress?.(done, total, file.relative)
      const result = await importFile(file, options.spool, async (batch, keptAt) => writer?.append(batch, keptAt))
      files.push(result)
      if (result.outcome !== 'left') staged.push(file)
      done += file.bytes
      if (writer?.isFull) await publish()
    }
    await publish()
  } catch (error) {
    await writer?.discard()
    throw error
  }
  options.onProgress?.(done, total, '')
  return toReport(files, old)
}

const importFile = async (
  file: OldFile,
  spool: OfflineSpool | undefined,
  append: (batch: Batch, keptAt: number) => Promise<void>,
): Promise<ImportedFile> => {
  const result = { file: file.relative, place: file.place, bytes: file.bytes, events: 0, unreadable: 0 }
  const left = (detail: string): ImportedFile => ({ ...result, unreadable: 1, details: [detail], outcome: 'left' })
  if (file.bytes > maxFileBytes) return left(`It has ${file.bytes} bytes; at most ${maxFileBytes} are read`)
  if (file.bytes === 0) return { ...result, details: [], outcome: 'imported' }
  const stored = await readFile(file.path)
  // By writer and name: a file that is moved from one place to another stays the same.
  const key = `import:${basename(file.directory)}/${basename(file.path)}`
  const fingerprint = createHash('sha256').update(stored).digest('hex')
  if (spool?.keys.has(`${key}#0`)) return { ...result, details: [], outcome: 'known' }
  const details: string[] = []
  let portion = 0
  try {
    const bytes = unpackOldFile(stored)
    const format = formatOf(bytes, file.suffix)
    if (!format) return left(`${file.suffix} files cannot be read; smile, json and thrift can`)
    const whole = file.place === '_tmp' ? closeCut(bytes, format) : bytes
    for (const item of readOldEvents(whole, format, file)) {
      if (item.kind === 'unreadable') {
        result.unreadable++
        if (details.length < maxDetails) details.push(item.detail)
        continue
      }
      const { length } = item.batch.events
      const outcome = { accepted: length, rejected: 0, errors: [] }
      const idempotency = { key: `${key}#${portion++}`, fingerprint, outcome }
      await append({ ...item.batch, idempotency }, Date.now())
      result.events += length
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'FormatError') throw error
    return left(error.message)
  }
  if (result.events === 0 && result.unreadable > 0) return { ...result, details, outcome: 'left' }
  return { ...result, details, outcome: 'imported' }
}

/** The spool must hold everything once more, as segments and then as bucket files. */
const checkSpace = async ({ disk }: OfflineSpool, bytes: number): Promise<void> => {
  const { freeBytes } = await disk.space()
  if (freeBytes < 3 * bytes) {
    throw new Error(
      `${disk.directory} has ${freeBytes} bytes free; importing ${bytes} bytes takes up to three times that`,
    )
  }
}

const moveAway = async (root: string, file: OldFile): Promise<void> => {
  // Given one writer's directory, its files are put beside it, as those of a whole spool.
  const home = parseWriterName(basename(root)) ? dirname(root) : root
  const target = join(home, importedName, file.relative)
  await mkdir(dirname(target), { recursive: true })
  await rename(file.path, target)
}

const toReport = (files: readonly ImportedFile[], { skipped }: OldSpool): ImportReport => ({
  files,
  events: files.reduce((sum, file) => sum + file.events, 0),
  unreadable: files.reduce((sum, file) => sum + file.unreadable, 0),
  skipped,
})
