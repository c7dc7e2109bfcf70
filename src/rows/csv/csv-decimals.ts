/**
 * Numbers with a decimal comma, as spreadsheets of most of Europe write them: `12,50`, `1.234,56`. A column has them where
 * all of its values in the first records are such numbers; they are given with a point, `12.50`, `1234.56`.
 */

/** For each column: whether it has decimal commas, or only whole numbers so far. Text is undefined. */
export type DecimalColumns = readonly ('decimal' | 'whole' | undefined)[]

/** What a column may be, by all of its values that were looked at. */
type Seen = { isNumber: boolean; hasComma: boolean; hasFraction: boolean; hasPoint: boolean }

/** A sign, digits with or without points between thousands, and a fraction after a comma. */
const number = /^([-+]?)(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d+))?$/
const pointNumber = /^[-+]?\d+\.\d+$/

/**
 * Finds the columns with decimal commas.
 * @param records values of the first records, without the header
 * @param told `true` if the caller says that the file has them
 * @returns undefined if there are no such columns
 */
export const findDecimals = (records: Iterable<readonly string[]>, told: boolean): DecimalColumns | undefined => {
  const columns: Seen[] = []
  for (const record of records) for (const [at, value] of record.entries()) look(columns, at, value)
  // Three digits after a comma may as well be thousands, and a point in a number says that commas are something else.
  const isFound =
    columns.some(({ isNumber, hasFraction }) => isNumber && hasFraction) && !columns.some(({ hasPoint }) => hasPoint)
  if (!told && !isFound) return undefined
  return columns.map(({ isNumber, hasComma }) => (!isNumber ? undefined : hasComma ? 'decimal' : 'whole'))
}

const look = (columns: Seen[], at: number, value: string): void => {
  columns[at] ??= { isNumber: true, hasComma: false, hasFraction: false, hasPoint: false }
  const seen = columns[at]
  if (value === '' || seen.hasPoint) return
  const [, , whole = '', fraction] = number.exec(value) ?? []
  if (whole === '') seen.isNumber = false
  if (fraction !== undefined) {
    seen.hasComma = true
    seen.hasFraction ||= fraction.length !== 3 || whole === '0' || whole.includes('.') || whole.length > 3
  }
  // `1.234` may be thousands, `1.5` not.
  if (pointNumber.test(value) && whole === '') seen.hasPoint = true
}

/** The values of a record, with points. */
export const toPoints = (values: string[], columns: DecimalColumns): string[] => {
  for (const [at, kind] of columns.entries()) {
    const value = values[at]
    // Thousands are known by the commas of their column.
    if (kind === undefined || value === undefined || !(value.includes(',') || kind === 'decimal')) continue
    const [, sign, whole, fraction] = number.exec(value) ?? []
    if (whole === undefined) continue
    values[at] = `${sign}${whole.replaceAll('.', '')}${fraction === undefined ? '' : `.${fraction}`}`
  }
  return values
}
