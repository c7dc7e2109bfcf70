/** Directories as a whole, to this machine and from it: several files at a time, one that fails does not end the rest. */
import { lstat, mkdir, opendir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { downloadFile } from '../../../clients/gateway/download.ts'
import type { Entry } from '../../../clients/gateway/read-rows.ts'
import { type UploadOptions, uploadFile } from '../../../clients/gateway/upload.ts'
import { parentPath } from '../../../src/filesystem/path.ts'
import { CliError } from '../command/failure.ts'
import type { PathFailures } from './each-path.ts'
import { walkTree } from './files.ts'
import type { GatewayCalls } from './gateway.ts'
import { inParallel } from './in-parallel.ts'
import { isPartName, makeLocalDirectory, toLocalNames, toPartFile } from './local-path.ts'
import { childOf } from './remote-path.ts'
import type { Amount, TransferProgress } from './transfer-progress.ts'
import { findRemote, makeDirectory } from './webhdfs.ts'

/** How a tree is copied. */
export type TreeOptions = {
  readonly threads: number
  readonly overwrite: boolean
  /** Leaves files that are there already, as long as the other one is. */
  readonly skipExisting: boolean
  readonly failed: PathFailures
  readonly progress: TransferProgress
}

/** What was copied, and how many files needed no copy. */
export type TreeCopied = Amount & { readonly skipped: number }

/** Copies a file or directory of the gateway into a directory here, under its own name; of the root, what is in it. */
export const getTree = async (
  gateway: GatewayCalls,
  source: Entry,
  target: string,
  { threads, overwrite, skipExisting, failed, progress }: TreeOptions,
): Promise<TreeCopied> => {
  const copied = createCount()
  const isThere = async (file: string, size: number): Promise<boolean> => {
    const status = skipExisting ? await lstat(file).catch(() => undefined) : undefined
    return status?.isFile() === true && status.size === size
  }
  const getEntry = async ({ path, isDir, size, error }: Entry): Promise<void> => {
    if (error !== undefined) throw new CliError(error, { code: 'unreadable' })
    const names = path === '/' ? [] : toLocalNames(path, parentPath(source.path))
    const into = await makeLocalDirectory(target, isDir ? names : names.slice(0, -1))
    if (isDir) return
    const file = join(into, names.at(-1) ?? '')
    const isSkipped = await isThere(file, size)
    const onProgress = progress.file()
    const options = { overwrite, partFile: toPartFile(file), onProgress }
    copied.add(isSkipped ? size : (await downloadFile(gateway, path, file, options)).size, isSkipped)
    progress.fileDone(isSkipped ? size : 0)
  }
  await mkdir(target, { recursive: true })
  await inParallel(walkTree(gateway, source), threads, entry =>
    getEntry(entry).catch((error: unknown) => failed.add(entry.path, error)),
  )
  return copied.sum()
}

/** Copies a file or directory from here into a directory of the gateway, under its own name. No links are followed. */
export const putTree = async (
  gateway: GatewayCalls,
  source: string,
  target: string,
  { threads, skipExisting, failed, progress, ...options }: TreeOptions & UploadOptions,
): Promise<TreeCopied> => {
  const copied = createCount()
  const isThere = async (path: string, size: number): Promise<boolean> => {
    const status = skipExisting ? await findRemote(gateway, path) : undefined
    return status !== undefined && !status.isDir && status.size === size
  }
  const putEntry = async ({ file, path, kind }: LocalEntry): Promise<void> => {
    if (kind === 'directory') return makeDirectory(gateway, path)
    if (kind === 'other') throw new CliError(`${file} is not a regular file`, { code: 'not-file' })
    const { size } = await stat(file)
    const isSkipped = await isThere(path, size)
    const onProgress = progress.file()
    copied.add(isSkipped ? size : (await uploadFile(gateway, file, path, { ...options, onProgress })).size, isSkipped)
    progress.fileDone(isSkipped ? size : 0)
  }
  const path = childOf(target, basename(resolve(source)))
  await inParallel(walkLocal(source, path, failed), threads, entry =>
    putEntry(entry).catch((error: unknown) => failed.add(entry.file, error)),
  )
  return copied.sum()
}

/** Counts the files of a path here, with those below. */
export const measureLocal = async (source: string): Promise<Amount> => {
  let [files, bytes] = [0, 0]
  for await (const { file, kind } of walkLocal(source, '', { add: () => {} })) {
    if (kind !== 'file') continue
    files++
    bytes += (await stat(file)).size
  }
  return { files, bytes }
}

type LocalEntry = {
  readonly file: string
  /** Where it goes. */
  readonly path: string
  readonly kind: 'file' | 'directory' | 'other'
}

/** A path that was given, which may be a link, with what is below. */
async function* walkLocal(
  source: string,
  path: string,
  failed: Pick<PathFailures, 'add'>,
): AsyncGenerator<LocalEntry, void, undefined> {
  const status = await stat(source)
  if (status.isDirectory()) yield* walkLocalDirectory(source, path, failed)
  else yield { file: source, path, kind: status.isFile() ? 'file' : 'other' }
}

/** What is below a directory here; a directory only where nothing is in it, because files make those above them. */
async function* walkLocalDirectory(
  directory: string,
  path: string,
  failed: Pick<PathFailures, 'add'>,
): AsyncGenerator<LocalEntry, void, undefined> {
  let isEmpty = true
  try {
    for await (const entry of await opendir(directory)) {
      if (isPartName(entry.name)) continue
      isEmpty = false
      const inner = { file: join(directory, entry.name), path: childOf(path, entry.name) }
      if (entry.isDirectory()) yield* walkLocalDirectory(inner.file, inner.path, failed)
      else yield { ...inner, kind: entry.isFile() ? 'file' : 'other' }
    }
  } catch (error) {
    failed.add(directory, error)
    return
  }
  if (isEmpty) yield { file: directory, path, kind: 'directory' }
}

const createCount = () => {
  let [files, bytes, skipped] = [0, 0, 0]
  return {
    add: (size: number, isSkipped: boolean): void => {
      if (isSkipped) skipped++
      else {
        files++
        bytes += size
      }
    },
    sum: (): TreeCopied => ({ files, bytes, skipped }),
  }
}
