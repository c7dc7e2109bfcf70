import { pathToFileURL } from 'node:url'
import type { SequenceFileSerialization } from '../sequence-file/serializations.ts'
import type { RowSerializer } from './serializer.ts'

export type LoadOptions = {
  /** Imports a module; given for tests. @default `import()` */
  readonly importModule?: (specifier: string) => Promise<unknown>
  /** Where relative paths begin, as a directory. */
  readonly directory: string
}

/**
 * Loads the modules of `io.row.serializations`: each exports a `RowSerializer` as its default or as `serializer`, or
 * several as `serializers`, or is one itself (`export const name`, `accepts`, `toRows`).
 * @throws Error a module that cannot be loaded or exports nothing of the kind, by its name
 */
export const loadRowSerializers = async (
  specifiers: readonly string[],
  options: LoadOptions,
): Promise<readonly RowSerializer[]> =>
  load('io.row.serializations', specifiers, options, 'serializer', isRowSerializer)

/**
 * Loads the modules of `io.serializations`: each exports a `SequenceFileSerialization` as its default or as
 * `serialization`, or several as `serializations`.
 * @throws Error as {@link loadRowSerializers}
 */
export const loadSerializations = async (
  specifiers: readonly string[],
  options: LoadOptions,
): Promise<readonly SequenceFileSerialization[]> =>
  load('io.serializations', specifiers, options, 'serialization', isSerialization)

type Exports = { readonly [name: string]: unknown }

const load = async <T>(
  setting: string,
  specifiers: readonly string[],
  { importModule = specifier => import(specifier), directory }: LoadOptions,
  name: string,
  isWanted: (value: unknown) => value is T,
): Promise<readonly T[]> => {
  const loaded: T[] = []
  for (const specifier of specifiers) {
    let module: Exports
    try {
      module = (await importModule(toModule(specifier, directory))) as Exports
    } catch (cause) {
      // The importer is this file, which does not interest the author of the setting.
      const reason = cause instanceof Error ? cause.message.split(' imported from ', 1)[0] : 'unknown'
      throw new Error(`The setting ${setting} names "${specifier}", which cannot be loaded: ${reason}`, { cause })
    }
    const exported = [module[`${name}s`], module[name], module['default'], module].find(value => value !== undefined)
    const found = Array.isArray(exported) ? exported : [exported]
    if (found.length === 0 || !found.every(isWanted)) {
      const expected = `expected it to export a ${name}, or several as ${name}s`
      throw new Error(`The setting ${setting} names "${specifier}", which cannot be used: ${expected}`)
    }
    loaded.push(...found)
  }
  return loaded
}

/** A path is meant from the directory; what looks like none is a package. */
const toModule = (specifier: string, directory: string): string => {
  if (/^[a-z]{2,}:/i.test(specifier)) return specifier
  const isPath = specifier.startsWith('.') || specifier.startsWith('/') || /\.[cm]?[jt]s$/.test(specifier)
  if (!isPath) return specifier
  return new URL(pathToFileURL(specifier.startsWith('/') ? specifier : `${directory}/${specifier}`)).href
}

const isRowSerializer = (value: unknown): value is RowSerializer => {
  const { name, accepts, toRows } = (value ?? {}) as Partial<RowSerializer>
  return typeof name === 'string' && typeof accepts === 'function' && typeof toRows === 'function'
}

const isSerialization = (value: unknown): value is SequenceFileSerialization => {
  const { classNames, deserialize } = (value ?? {}) as Partial<SequenceFileSerialization>
  return (
    Array.isArray(classNames) && classNames.every(name => typeof name === 'string') && typeof deserialize === 'function'
  )
}
