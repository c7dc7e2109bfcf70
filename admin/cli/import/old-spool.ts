// node-only: reads a directory tree
/**
 * The spool directory of the predecessor: one directory for each event type and format, made by one writer.
 *
 *     <host>-<port>-<4 letters or digits>-<yyyy-MM-ddTHH.mm.ss.SSS>.<event name>.<smile|json|thrift|bin>/
 *       <n>.bin          complete, waiting for the file system
 *       _lock/           being copied out when the process ended
 *       _quarantine/     the copy failed
 *       _tmp/            being written when the process ended
 */
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** The state of a file in the old spool. */
export type OldPlace = 'committed' | '_lock' | '_quarantine' | '_tmp'

/** What a directory's name says. */
export type OldWriter = {
  readonly directory: string
  readonly eventName: string
  /** `smile`, `json`, `thrift` or `bin`, in lower case. */
  readonly suffix: string
  /** When the writer was made, ms since the epoch, UTC. */
  readonly createdAt: number
}

export type OldFile = OldWriter & {
  readonly place: OldPlace
  /** Absolute path. */
  readonly path: string
  /** Below the directory that was given. */
  readonly relative: string
  readonly bytes: number
}

export type OldSpool = {
  readonly files: readonly OldFile[]
  /** Directories whose names say nothing. */
  readonly skipped: readonly string[]
}

/** Directories and files beyond this are an error: it is not a spool. */
const maxEntries = 1_000_000

/** Where imported files are put, beside the directories they came from. */
export const importedName = '_imported'

/** Reads a writer's directory name; also host names, and event names with dots, which the old server never recovered. */
export const parseWriterName = (name: string): Omit<OldWriter, 'directory'> | undefined => {
  const [, date, hour, minute, second, eventName, suffix] = writerName.exec(name) ?? []
  if (eventName === undefined || suffix === undefined) return undefined
  const createdAt = Date.parse(`${date}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(createdAt) ? undefined : { eventName, suffix: suffix.toLowerCase(), createdAt }
}

/** Finds the files of a spool, or of one writer's directory, oldest first. */
export const readOldSpool = async (root: string): Promise<OldSpool> => {
  const own = parseWriterName(basename(root))
  if (own) return { files: await readWriter(root, basename(root), { ...own, directory: root }), skipped: [] }
  const files: OldFile[] = []
  const skipped: string[] = []
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === importedName) continue
    const writer = parseWriterName(entry.name)
    const directory = join(root, entry.name)
    if (writer) files.push(...(await readWriter(directory, entry.name, { ...writer, directory })))
    else skipped.push(entry.name)
    if (files.length > maxEntries)
      throw new Error(`${root} holds more than ${maxEntries} files; give its parts one by one`)
  }
  files.sort((a, b) => a.createdAt - b.createdAt || (a.relative < b.relative ? -1 : 1))
  return { files, skipped: skipped.sort() }
}

const writerName = /^.+-\d{1,5}-[A-Za-z0-9]{4}-(\d{4}-\d{2}-\d{2})T(\d{2}).(\d{2}).(\d{2}\.\d{3})\.(.*)\.([A-Za-z]+)$/

const places: readonly OldPlace[] = ['committed', '_lock', '_quarantine', '_tmp']

const readWriter = async (directory: string, name: string, writer: OldWriter): Promise<OldFile[]> => {
  const files: OldFile[] = []
  for (const place of places) {
    const folder = place === 'committed' ? directory : join(directory, place)
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      // Hadoop's local checksums lie beside as `.name.crc`.
      if (!entry.isFile() || entry.name.startsWith('.')) continue
      const path = join(folder, entry.name)
      const relative = [name, ...(place === 'committed' ? [] : [place]), entry.name].join('/')
      files.push({ ...writer, place, path, relative, bytes: (await stat(path)).size })
    }
  }
  return files
}
