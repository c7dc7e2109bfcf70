/**
 * Tables and namespaces among directories. A table is a directory with `metadata/version-hint.text`, or with a
 * `metadata/v<N>.metadata.json`. A namespace is any other one that has a table within three levels. Names that begin with `_` or `.`
 * are left out, and so are directories of partitions (`hour=08`, `2026`), which no table is below of.
 */
import { SluiceError } from '../../errors.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { isOfService } from '../../tables/metadata-versions.ts'

type Listed = Pick<FileSystem, 'getFileStatus' | 'listStatus'>

/** Levels below a directory that are looked through for a table. */
const maxLevels = 3

/**
 * Directories that one answer looks into. What is left then counts as a namespace: a table is never hidden because there is
 * too much beside it.
 */
const maxLooks = 2_000

/** Directories that a listing of tables looks into. */
const maxDirectories = 20_000

const metadataNames = /^(?:v\d{1,15}\.(?:gz\.)?metadata\.json(?:\.gz)?|version-hint\.text)$/

/** Partial listings of `metadata` that are looked through for that of a catalog service, which comes first by its name. */
const maxParts = 10

/** Whether a directory is a table. */
export const isTable = async (fileSystem: Listed, path: string, signal: AbortSignal): Promise<boolean> =>
  (await findTableKind(fileSystem, path, signal)) === 'own'

/** What decides about the table that a directory is: the directory of its own, or a catalog service. Undefined of any other directory. */
export const findTableKind = async (
  fileSystem: Listed,
  path: string,
  signal: AbortSignal,
): Promise<'own' | 'service' | undefined> => {
  const metadata = `${path}/metadata`
  try {
    // Most directories have nothing of that name, which is one call; and manifests, however many, have other names than these.
    for await (const part of fileSystem.listStatus(metadata, { startAfter: 'v', signal })) {
      const names = part.map(status => baseName(status.path))
      if (names.some(name => metadataNames.test(name))) return 'own'
      if (names.some(name => !name.startsWith('v'))) break
    }
    let parts = 0
    for await (const part of fileSystem.listStatus(metadata, { signal })) {
      if (part.some(status => isOfService(baseName(status.path)))) return 'service'
      if (++parts === maxParts) break
    }
    return undefined
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Names of the tables in a directory, after one of them, in order. */
export async function* findTableNames(
  fileSystem: Listed,
  path: string,
  options: { readonly startAfter?: string; readonly signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  let looks = maxDirectories
  for await (const directory of listDirectories(fileSystem, path, options)) {
    if (looks-- === 0) {
      const message = `expected at most ${maxDirectories} directories, found more: ask for the tables by their names`
      throw new SluiceError('unsupported', `${path}: ${message}`)
    }
    if (await isTable(fileSystem, directory, options.signal)) yield baseName(directory)
  }
}

/** Names of the namespaces in a directory, after one of them, in order. */
export async function* findNamespaceNames(
  fileSystem: Listed,
  path: string,
  options: { readonly startAfter?: string; readonly signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  const looks = { left: maxLooks }
  for await (const directory of listDirectories(fileSystem, path, options)) {
    const found = await look(fileSystem, directory, looks, options.signal)
    if (found === 'has-tables') yield baseName(directory)
  }
}

/** Level by level, so that what is near is found first. */
const look = async (
  fileSystem: Listed,
  path: string,
  looks: { left: number },
  signal: AbortSignal,
): Promise<'table' | 'has-tables' | 'nothing'> => {
  if (looks.left-- <= 0) return 'has-tables'
  if (await isTable(fileSystem, path, signal)) return 'table'
  let level = [path]
  for (let depth = 0; depth < maxLevels; depth++) {
    const below: string[] = []
    for (const parent of level)
      for await (const child of readable(listDirectories(fileSystem, parent, { signal }))) {
        if (looks.left-- <= 0 || (await isTable(fileSystem, child, signal))) return 'has-tables'
        below.push(child)
      }
    level = below
  }
  return 'nothing'
}

async function* listDirectories(
  fileSystem: Listed,
  path: string,
  options: { readonly startAfter?: string; readonly signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  for await (const part of fileSystem.listStatus(path, options))
    for (const status of part) if (status.isDirectory && !isLeftOut(status)) yield status.path
}

/** What the caller may not list has no tables that he could read. */
async function* readable(directories: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  try {
    yield* directories
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
}

const isLeftOut = ({ path }: FileStatus): boolean => /^[_.]|=|^\d+$/.test(baseName(path))

const isAbsent = (error: unknown): boolean =>
  error instanceof FileSystemError && ['not-found', 'not-directory', 'denied'].includes(error.code)
