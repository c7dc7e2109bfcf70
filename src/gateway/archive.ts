import { type FileStatus, FileSystemError } from '../filesystem/filesystem.ts'
import { baseName } from '../filesystem/path.ts'
import type { ByteRun } from '../rows/source.ts'
import { createByteBody } from './body.ts'
import type { ReadContext } from './context.ts'
import { openAhead } from './open-ahead.ts'
import { tarEnd, tarHeader, tarPadding } from './tar.ts'
import { walk } from './walk.ts'

/**
 * Names are those below the directory's own. What cannot be read, for a reason that will not pass, is left out before
 * anything of it was written, and named in a text file at the end: one named pipe must not cost the rest.
 */
export async function* writeArchive(
  { fileSystem, ahead: memory }: Pick<ReadContext, 'fileSystem' | 'ahead'>,
  root: FileStatus,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const base = root.path.length - baseName(root.path).length
  const leftOut = createLeftOut()
  const entries = walk(fileSystem, root, { recursive: true, directoriesFirst: true, visibleOnly: true, signal })
  // An archive says a length before the bytes: what grew meanwhile is cut, what shrank breaks it off.
  const toRun = ({ length }: FileStatus): ByteRun => ({ offset: 0, length })
  const toFirstRun = (entry: FileStatus) => (entry.isDirectory ? undefined : toRun(entry))
  for await (const part of openAhead(entries, { fileSystem, root, memory, toFirstRun, signal })) {
    for (const { status, error, fileSystem: ready = fileSystem } of part) {
      const { path, length } = status
      if (error) leftOut.note(path, error)
      else if (status.isDirectory) yield tarHeader(path.slice(base), status)
      else {
        let bytes: ReadableStream<Uint8Array>
        try {
          bytes = await createByteBody(await ready.open(path, { ...toRun(status), signal }), length)
        } catch (refusal) {
          leftOut.note(path, refusal)
          continue
        }
        yield tarHeader(path.slice(base), status)
        yield* bytes
        yield tarPadding(length)
      }
    }
  }
  const list = leftOut.toText()
  if (list.length > 0) {
    const path = `${root.path === '/' ? '' : root.path}/${leftOutName}`
    const status = { ...root, path, isDirectory: false, length: list.length, permission: 0o644 }
    yield tarHeader(path.slice(base), status)
    yield list
    yield tarPadding(list.length)
  }
  yield tarEnd()
}

/** Hidden, as files of its kind are, so that nobody takes it for data. */
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
