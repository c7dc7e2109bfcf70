/**
 * How to read text, as far as the caller says: the parameters `delimiter`, `quote`, `decimal`, `has-header` and
 * `encoding`.
 */
import type { Dialect } from '../../rows/csv/csv-dialect.ts'
import type { Encoding } from '../../rows/text/encoding.ts'

export type TextFormParams = {
  /** A name of {@link delimiterNames} or the character itself; empty as absent, from a form. */
  readonly delimiter?: string
  readonly quote?: string
  readonly decimal?: string
  readonly 'has-header'?: string
  readonly encoding?: string
}

/** As files are opened with it. */
export type TextForm = {
  readonly dialect?: Dialect
  readonly encoding?: Encoding | undefined
}

export const delimiterNames: ReadonlyMap<string, string> = new Map([
  ['comma', ','],
  ['semicolon', ';'],
  ['tab', '\t'],
  ['bar', '|'],
])

export const quoteNames: ReadonlyMap<string, string> = new Map([
  ['double', '"'],
  ['single', "'"],
  ['none', ''],
])

export const decimalNames: ReadonlyMap<string, ',' | '.'> = new Map([
  ['point', '.'],
  ['comma', ','],
])

/** The contract has checked them. */
export const toTextForm = (params: TextFormParams): TextForm => {
  const { delimiter, quote, decimal, encoding } = params
  const hasHeader = params['has-header']
  const dialect: Dialect = {
    ...(delimiter ? { delimiter: delimiterNames.get(delimiter) ?? delimiter } : {}),
    ...(quote ? { quote: quoteNames.get(quote) } : {}),
    ...(decimal ? { decimal: decimalNames.get(decimal) } : {}),
    ...(hasHeader ? { header: hasHeader === 'true' } : {}),
  }
  return {
    ...(Object.keys(dialect).length > 0 ? { dialect } : {}),
    ...(encoding ? { encoding: encodingOf(encoding) } : {}),
  }
}

const encodingOf = (name: string): Encoding | undefined => {
  switch (name) {
    case 'utf-8':
    case 'utf-16le':
    case 'utf-16be':
    case 'windows-1252':
      return name
    default:
      return undefined
  }
}

/**
 * Distinguishes places in a file read like this from places in the same file read otherwise; empty without parameters.
 */
export const toFormKey = (form: TextForm): string => (Object.keys(form).length === 0 ? '' : JSON.stringify(form))

/** The given parameters, for links. */
export const toFormQuery = (params: TextFormParams) => ({
  delimiter: params.delimiter,
  quote: params.quote,
  decimal: params.decimal,
  'has-header': params['has-header'],
  encoding: params.encoding,
})
