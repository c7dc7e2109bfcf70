import * as Flags from '@oclif/core/flags'
import { usageError } from '../command/failure.ts'
import type { Column } from './table.ts'
import { toShownJson } from './to-json.ts'

/** How rows are written: for people; all data at once; a line for each row, of JSON or for spreadsheets. */
export const listingFormats = ['table', 'json', 'ndjson', 'csv'] as const
export type ListingFormat = (typeof listingFormats)[number]

export const outputFlag = Flags.option({
  char: 'o',
  summary: 'table, json (all data), ndjson or csv (a line for each row)',
  options: listingFormats,
  default: 'table' as const,
  helpValue: 'FORMAT',
})()

/** What every command that lists rows takes. */
export const listingFlags = {
  output: outputFlag,
  columns: Flags.string({
    char: 'c',
    summary: 'only these columns, in this order, as ndjson names them; not with json',
    helpValue: 'NAMES',
  }),
}

/** Rows for programs as lines with their ends. The head of CSV precedes the first ones, and holds for all. */
export type RowLines = (rows: readonly object[]) => string

/** @throws CliError `usage` for a column that no row has */
export const createRowLines = (format: 'ndjson' | 'csv', wanted?: readonly string[]): RowLines => {
  let names: readonly string[] | undefined
  return rows => {
    if (rows.length === 0) return ''
    const isFirst = names === undefined
    names ??= wanted ?? fieldsOf(rows)
    if (isFirst) checkFields(names, rows)
    if (format === 'csv') {
      const fields = names
      const records = rows.map(row => fields.map(name => Reflect.get(row, name)))
      return toText([...(isFirst ? [names] : []), ...records].map(toCsvLine))
    }
    const objects = wanted ? rows.map(row => pickFields(row, wanted)) : rows
    return toText(objects.map(row => toShownJson(row, 0)))
  }
}

/** The columns of a table that are wanted, by the fields of the rows; a field that the table does not have, as it is. */
export const pickColumns = <Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  wanted: readonly string[] | undefined,
): readonly Column<Row>[] => {
  if (!wanted) return columns
  checkFields(wanted, rows)
  return wanted.map(
    name =>
      columns.find(({ field, title }) => name === (field ?? title.toLowerCase())) ?? {
        title: name.toUpperCase(),
        cell: row => toFieldText(Reflect.get(row, name)),
        flexible: true,
      },
  )
}

/** The names of `--columns`. @throws CliError `usage` for none */
export const toColumnNames = (text: string | undefined): readonly string[] | undefined => {
  const names = text?.split(',').map(name => name.trim())
  if (names?.includes('')) throw usageError(`--columns ${text?.slice(0, 80)}: expected names with commas between them`)
  return names
}

const checkFields = (names: readonly string[], rows: readonly object[]): void => {
  const known = fieldsOf(rows)
  const unknown = names.find(name => !known.includes(name))
  if (unknown !== undefined && rows.length > 0)
    throw usageError(`There is no column ${unknown.slice(0, 80)}`, `There are ${known.join(', ')}.`)
}

const fieldsOf = (rows: readonly object[]): readonly string[] => [...new Set(rows.flatMap(row => Object.keys(row)))]

const toText = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('')

const pickFields = (row: object, names: readonly string[]): object =>
  Object.fromEntries(names.map(name => [name, Reflect.get(row, name)]))

const toCsvLine = (fields: readonly unknown[]): string => fields.map(toCsvField).join(',')

/** As RFC 4180 has it: nothing for null, and `""` for the empty string. */
const toCsvField = (value: unknown): string => {
  const text = toFieldText(value)
  return value === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const toFieldText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : toShownJson(value, 0)
