/** Namespaces are directories: one level of a namespace is one name of the path. */
import { SluiceError } from '../../errors.ts'
import { parsePath } from '../../filesystem/path.ts'

/** Separates the levels of a namespace in a URL (Iceberg's REST specification). */
const separator = '\u001f'

/** @throws SluiceError `not-found` a namespace that no directory can have */
export const toNamespacePath = (namespace: string): string => {
  const levels = namespace.split(separator)
  if (levels.some(level => !isName(level)))
    throw new SluiceError('not-found', `There is no namespace ${toLevelText(levels)}`)
  return parsePath(`/${levels.join('/')}`)
}

/** The directory of a table. @throws SluiceError `not-found` a name that no directory can have */
export const toTableDirectory = (namespace: string, table: string): string => {
  if (isName(table)) return parsePath(`${toNamespacePath(namespace)}/${table}`)
  throw new SluiceError('not-found', `There is no table ${JSON.stringify(table)}`)
}

/** @param path as `parsePath` returns it; the root is not a namespace, and has no levels */
export const toLevels = (path: string): readonly string[] => path.split('/').filter(name => name !== '')

/** For errors. */
export const toLevelText = (levels: readonly string[]): string => JSON.stringify(levels.join('.'))

const isName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !name.includes('/')
