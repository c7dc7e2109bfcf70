import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { baseName, childPath } from '../../filesystem/path.ts'
import type { ByteRun } from '../../rows/source.ts'
import { createByteBody } from '../body.ts'
import type { ReadContext } from '../context.ts'
import { openAhead } from '../open-ahead.ts'
import { type WalkEntry, type WalkOptions, walk } from '../walk.ts'

/** How an archive is written, piece by piece; for one archive only. */
export type ArchiveFormat = {
  /** Of the name of the archive itself. */
  readonly extension: string
  readonly mediaType: string
  /** @param name path within the archive */
  readonly directory: (name: string, status: FileStatus) => Uint8Array
  /** @param bytes as many as `status` says, or it throws */
  readonly file: (name: string, status: FileStatus, bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  /** The bytes after the last entry. */
  readonly end: () => Iterable<Uint8Array>
}

/** What of a directory is put into an archive, and how. */
export type Archived = {
  readonly format: ArchiveFormat
  /** Names in it; without names everything that is not hidden. */
  readonly names?: readonly string[] | undefined
}

/**
 * Names are those below the directory's own. What cannot be read, for a reason that will not pass, is left out before
 * anything of it was written, and named in a text file at the end: one named pipe must not cost the rest.
 */
export async function* writeArchive(
  { fileSystem, ahead: memory }: Pick<ReadContext, 'fileSystem' | 'ahead'>,
  root: FileStatus,
  { format, names }: Archived,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const base = root.path.length - baseName(root.path).length
  const leftOut = createLeftOut()
  const options = { recursive: true, directoriesFirst: true, visibleOnly: true, signal }
  const entries = names === undefined ? walk(fileSystem, root, options) : walkNames(fileSystem, root, names, options)
  // An archive says a length before the bytes: what grew meanwhile is cut, what shrank breaks it off.
  const toRun = ({ length }: FileStatus): ByteRun => ({ offset: 0, length })
  const toFirstRun = (entry: FileStatus) => (entry.isDirectory ? undefined : toRun(entry))
  for await (const part of openAhead(entries, { fileSystem, root, memory, toFirstRun, signal })) {
    for (const { status, error, fileSystem: ready = fileSystem } of part) {
      const { path, length } = status
      if (error) leftOut.note(path, error)
      else if (status.isDirectory) yield format.directory(toEntryName(path.slice(base)), status)
      else {
        let bytes: ReadableStream<Uint8Array>
        try {
          bytes = await createByteBody(await ready.open(path, { ...toRun(status), signal }), length)
        } catch (refusal) {
          leftOut.note(path, refusal)
          continue
        }
        yield* format.file(toEntryName(path.slice(base)), status, bytes)
      }
    }
  }
  const list = leftOut.toText()
  if (list.length > 0) {
    const path = `${root.path === '/' ? '' : root.path}/${leftOutName}`
    const status = { ...root, path, isDirectory: false, length: list.length, permission: 0o644 }
    yield* format.file(path.slice(base), status, onlyOne(list))
  }
  yield* format.end()
}

/** Some entries of a directory, and all below them: who names what is hidden means it. */
async function* walkNames(
  fileSystem: FileSystem,
  root: FileStatus,
  names: readonly string[],
  options: WalkOptions,
): AsyncGenerator<readonly WalkEntry[], void, undefined> {
  for (const name of names) {
    const path = childPath(root.path, name)
    try {
      const status = await fileSystem.getFileStatus(path)
      yield [{ status }]
      if (status.isDirectory) yield* walk(fileSystem, status, options)
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error
      yield [{ status: { ...root, path, isDirectory: false, length: 0 }, error }]
    }
  }
}

async function* onlyOne(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

/** Hidden, as other files of its kind, so that it is not taken for data. */
const leftOutName = '_LEFT_OUT.txt'

/** Files named there; the others are counted. */
const maxLeftOut = 1_000

/** What an archive leaves out. */
const createLeftOut = () => {
  const lines: string[] = []
  let more = 0
  return {
    /** @throws the error, where it is not the file system's last word */
    note: (path: string, error: unknown): void => {
      if (!(error instanceof FileSystemError) || error.code === 'unavailable') throw error
      if (lines.length < maxLeftOut) lines.push(`${JSON.stringify(path)}: ${error.message}\n`)
      else more++
    },
    /** Nothing where nothing was left out. */
    toText: (): Uint8Array => Buffer.from(lines.join('') + (more > 0 ? `and ${more} more\n` : '')),
  }
}

/**
 * A backslash separates directories where some programs unpack: `..\..\x` would leave the directory there. As `%5C`, and a
 * `%` before a `5C` as `%25`, so that no two names become one.
 */
const toEntryName = (name: string): string =>
  name.replaceAll(/%(?=25|5C)|\\/gi, found => (found === '%' ? '%25' : '%5C'))
