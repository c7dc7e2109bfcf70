import { FormatError, SluiceError } from '../../errors.ts'
import type { Reading } from '../../rows/reading.ts'
import { parseWhere, type Where } from '../../rows/where/where.ts'
import { checkColumns, type KnownColumns, type WantedColumns } from './wanted-columns.ts'

/** Which rows are wanted, by their contents; undefined for all. */
export type WantedWhere = Where | undefined

/**
 * Reads the parameter `where`.
 * @throws SluiceError `bad-parameter`: what was expected at which character
 */
export const parseWhereParam = (text: string | undefined): WantedWhere => {
  if (text === undefined || text.trim() === '') return undefined
  try {
    return parseWhere(text)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new SluiceError('bad-parameter', `Parameter "where": ${error.message.replace(/^where: /, '')}`, {
      cause: error,
    })
  }
}

/**
 * Looks whether a file can have the columns that are asked about.
 * @throws SluiceError `bad-parameter`: names a column that the file is known not to have, and the nearest that it has
 */
export const checkWhere = (where: WantedWhere, known: KnownColumns): void =>
  checkColumns(where?.columns, known, 'where')

/**
 * Looks whether a table can have the columns that are wanted, and those that are asked about.
 * @param columns of the table; undefined of any other directory, and of a file
 * @throws SluiceError `bad-parameter`, as {@link checkWhere}
 */
export const checkAsked = (
  wanted: { readonly columns: WantedColumns; readonly where: WantedWhere },
  columns: readonly string[] | undefined,
): void => {
  checkColumns(wanted.columns, { columns, of: 'table' })
  checkColumns(wanted.where?.columns, { columns, of: 'table' }, 'where')
}

/**
 * Checks a file that was opened, and closes it if the check throws: it is not read then.
 * @throws what `check` throws
 */
export const checkOpened = async ({ batches }: Pick<Reading, 'batches'>, check: () => void): Promise<void> => {
  try {
    check()
  } catch (error) {
    await batches[Symbol.asyncIterator]().return?.()
    throw error
  }
}

/**
 * What is to be said once the rows are looked at: a column that is asked about, which none of them has; undefined where
 * there is nothing to say.
 */
export const toUnknownText = (where: WantedWhere): string | undefined => {
  const problem = where?.fields.problem
  return problem === undefined ? undefined : `Parameter "where": ${problem}`
}
