import { FormatError } from '../../../src/errors.ts'
import { collect, openBytes, toJson } from '../../unit/rows/files.ts'

/** Comma separated values, read from the start and from every mark. */
export const name = 'csv'

export const dictionary = [',', '"', '""', '\n', '\r\n', '\r', '","', '"\n"', '\ufeff', ',,,,', '\u0000', '💧', '0']

const maxMarks = 3

/** Every row has a value for each of its names; what is read from a mark is what follows it. @throws FormatError */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const { rows, marks, error } = await collect(await openBytes('x.csv', bytes))
  if (error && !(error instanceof FormatError)) throw error
  for (const { names, values } of rows) {
    if (names.length !== values.length) throw new Error(`${values.length} values for ${names.length} names`)
  }
  for (const from of marks.slice(-maxMarks)) {
    const rest = await collect(await openBytes('x.csv', bytes, { from }))
    if (rest.error && !(rest.error instanceof FormatError)) throw rest.error
    const want = rows.slice(from.row).map(toJson)
    if (rest.rows.map(toJson).join('\n') !== want.join('\n')) throw new Error(`other rows from row ${from.row} on`)
  }
}
