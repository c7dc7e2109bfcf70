import { FormatError, SluiceError } from '../errors.ts'

/** A file of a table violates the specification of Iceberg, or uses features that Sluice does not write. */
export class TableError extends SluiceError {
  override readonly name = 'TableError'

  /** @param where the file, and the member of it, that is meant */
  constructor(where: string, message: string, options: { readonly cause?: unknown } = {}) {
    super('unreadable', `${where}: ${message}`, options)
  }
}

/** Reads a file of a table. @throws TableError in place of FormatError, with the file */
export const readAt = <T>(where: string, read: () => T): T => {
  try {
    return read()
  } catch (cause) {
    throw cause instanceof FormatError ? new TableError(where, cause.message, { cause }) : cause
  }
}

/** A table that is to be changed is not there. */
export class NoTable extends TableError {
  constructor(where: string) {
    super(where, 'there is no such table')
  }
}

/** Others changed a table, again and again, while this change was made: it may succeed later. */
export class TableBusy extends TableError {
  constructor(where: string, tries: number) {
    super(where, `other writers were faster ${tries} times`)
  }
}
