// node-only: files
import { readdir, readFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { parseFileName, readFrames, type SpoolName, toFileName } from './spool-file.ts'

/** A batch that waits to be sent. */
export type BatchFile = { readonly name: SpoolName; readonly path: string; readonly bytes: number }

/**
 * The batches that an earlier tracker left, oldest first. A file that was open keeps its valid prefix.
 * @throws Error records of another form, which only its sender can send
 */
export const recoverSpool = async (directory: string, form: string): Promise<BatchFile[]> => {
  const found = await readdir(directory)
  await Promise.all(found.filter(name => name.endsWith('.tmp')).map(name => rm(join(directory, name), { force: true })))
  const names = found.flatMap(name => parseFileName(name) ?? [])
  const others = names.filter(name => name.form !== form)
  if (others.length > 0) {
    const forms = [...new Set(others.map(name => name.form))].join(', ')
    throw new Error(
      `The spool ${directory} holds ${others.length} batches of the form ${forms}: send those with their own sender, or use another directory`,
    )
  }
  const kept = await withoutHalves(directory, names)
  const files: BatchFile[] = []
  for (const name of kept.sort(byOrder)) {
    const file = name.state === 'open' ? await recoverOpen(directory, name) : await toBatchFile(directory, name)
    if (file !== undefined) files.push(file)
  }
  return files
}

/** Halves beside the whole were being made when the tracker ended; they are made again when needed. */
const withoutHalves = async (directory: string, names: readonly SpoolName[]): Promise<SpoolName[]> => {
  const keys = new Set(names.map(name => `${name.uuid}${name.halves}`))
  const isHalf = ({ uuid, halves }: SpoolName): boolean => {
    for (let end = halves.length - 2; end >= 0; end -= 2) if (keys.has(`${uuid}${halves.slice(0, end)}`)) return true
    return false
  }
  for (const name of names.filter(isHalf)) await rm(join(directory, toFileName(name)), { force: true })
  return names.filter(name => !isHalf(name))
}

const recoverOpen = async (directory: string, name: SpoolName): Promise<BatchFile | undefined> => {
  const path = join(directory, toFileName(name))
  const content = await readFile(path)
  const { records, end } = readFrames(content)
  if (records.length === 0) {
    await rm(path)
    return undefined
  }
  if (end < content.length) await truncate(path, end)
  const ready: SpoolName = { ...name, state: 'ready' }
  await rename(path, join(directory, toFileName(ready)))
  return { name: ready, path: join(directory, toFileName(ready)), bytes: end }
}

const toBatchFile = async (directory: string, name: SpoolName): Promise<BatchFile> => {
  const path = join(directory, toFileName(name))
  return { name, path, bytes: (await stat(path)).size }
}

const byOrder = (a: SpoolName, b: SpoolName): number =>
  a.number - b.number || (a.halves < b.halves ? -1 : a.halves > b.halves ? 1 : 0)
