// node-only: reads a directory
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createWatched } from '../../current.ts'
import { type ContractSet, noContracts, updateContracts } from '../../event-contracts/contract-set.ts'
import { maxAllSchemaBytes, maxSchemaBytes, maxSchemaFiles } from '../../event-contracts/schema-limits.ts'
import { startInterval } from '../../runtime/timers.ts'
import type { FileRegistrarOptions } from './file-registrar.ts'
import type { Registrar } from './registrar.ts'
import { noTypes } from './registrar.ts'

/** A directory is looked at as often as this, however long what a registry says is used. */
const lookEveryMs = 5_000

/** Faults that are named in one message; the log has all of them. */
const maxNamed = 3

/** Text of a file, with what changes with it. */
type ReadFile = { readonly fingerprint: string; readonly text: string }

/**
 * JSON Schemas from a directory, a file `<type>.json` for each event type: contracts, and the columns of the type. Files
 * that change are read again. One that cannot be used leaves the schema of before, and is logged, once.
 * @throws Error naming file, line and reason when one cannot be used at the start
 */
export const createDirectoryRegistrar = async (options: FileRegistrarOptions): Promise<Registrar> => {
  const { path, refreshMs, log } = options
  let files: ReadonlyMap<string, ReadFile> = new Map()
  let set: ContractSet = noContracts
  const known = createWatched(noTypes)
  let trouble = ''
  let isBusy = false

  const read = async (): Promise<void> => {
    const now = await readFiles(path, files)
    if (isSame(now, files)) return
    set = await updateContracts(new Map(Array.from(now, ([name, { text }]) => [name, text])), set)
    files = now
    known.set({ ...noTypes, contracts: Array.from(set.contracts.values(), ({ source }) => source) })
  }
  const refresh = async (): Promise<void> => {
    if (isBusy) return
    isBusy = true
    const told = describe(set, trouble)
    try {
      await read()
      trouble = ''
    } catch (error) {
      trouble = `${path}: ${error instanceof Error ? error.message : String(error)}`
    }
    isBusy = false
    const found = describe(set, trouble)
    if (found !== '' && found !== told)
      log?.warn(
        { path, problems: [trouble, ...set.problems.map(({ message }) => message)].filter(text => text !== '') },
        refused,
      )
  }
  try {
    await read()
    const [first] = set.problems
    if (first) throw first
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`Cannot use the directory of registrar.path, ${path}: ${why}`, { cause })
  }
  const timer = startInterval(() => void refresh(), Math.min(refreshMs, lookEveryMs)).unref()
  return {
    fields: typeName => set.contracts.get(typeName)?.fields,
    contracts: () => set.contracts,
    known,
    problem: () => describe(set, trouble),
    close: () => clearInterval(timer),
  }
}

const refused = 'schemas of registrar.path cannot be used; the previous ones remain in effect'

const describe = ({ contracts, problems }: ContractSet, trouble: string): string => {
  const slow = contracts.values().filter(({ isTooSlow }) => isTooSlow)
  const texts = [
    ...(trouble === '' ? [] : [trouble]),
    ...problems.map(({ message }) => message),
    ...slow.map(
      ({ source }) => `${source.file}: too slow for most events of the type, which are no longer compared with it`,
    ),
  ]
  const more = texts.length > maxNamed ? [`and ${texts.length - maxNamed} more`] : []
  return [...texts.slice(0, maxNamed), ...more].join('; ')
}

/** @param old whose texts are used again where nothing shows a change */
const readFiles = async (path: string, old: ReadonlyMap<string, ReadFile>): Promise<ReadonlyMap<string, ReadFile>> => {
  const names = (await readdir(path)).filter(name => name.endsWith('.json') && !name.startsWith('.')).sort()
  if (names.length > maxSchemaFiles) throw new Error(`it has ${names.length} files; ${maxSchemaFiles} are allowed`)
  const files = new Map<string, ReadFile>()
  let bytes = 0
  for (const name of names) {
    const { mtimeMs, ctimeMs, size, ino } = await stat(join(path, name))
    const fingerprint = `${mtimeMs}:${ctimeMs}:${size}:${ino}`
    bytes += size
    if (bytes > maxAllSchemaBytes) throw new Error(`its files have more than ${maxAllSchemaBytes} bytes`)
    const before = old.get(name)
    // What is larger is refused by its size, unread.
    const text = size > maxSchemaBytes ? ' '.repeat(maxSchemaBytes + 1) : undefined
    files.set(
      name,
      before?.fingerprint === fingerprint
        ? before
        : { fingerprint, text: text ?? (await readFile(join(path, name), 'utf8')) },
    )
  }
  return files
}

const isSame = (one: ReadonlyMap<string, ReadFile>, other: ReadonlyMap<string, ReadFile>): boolean =>
  one.size === other.size && one.entries().every(([name, file]) => other.get(name) === file)
