import type { Value } from '../../formats/number.ts'
import { toUniqueNames } from '../columns.ts'
import type { Row } from '../row.ts'
import { compile } from './evaluate.ts'
import type { Expression } from './expression.ts'
import { parseExpression } from './parse.ts'

/** Which rows are wanted, by what stands in them. */
export type Where = {
  /** As it was written. */
  readonly text: string
  readonly expression: Expression
  /** Names of the columns that it looks at, each once. */
  readonly columns: readonly string[]
  matches(row: Row): boolean
}

/**
 * Reads `status >= 500 and path ~ "/api"`.
 * @throws FormatError `where`: at which character what was expected, and what is there
 */
export const parseWhere = (text: string): Where => {
  const expression = parseExpression(text)
  const isTrue = compile(expression)
  let names: readonly string[] | undefined
  let places: ReadonlyMap<string, number> = new Map()
  let values: readonly Value[] = []
  const lookup = (column: string): Value | undefined => {
    const place = places.get(column)
    return place === undefined ? undefined : values[place]
  }
  return {
    text,
    expression,
    columns: [...new Set(toColumns(expression))],
    matches: row => {
      // Rows of one shape share their names.
      if (row.names !== names) {
        names = row.names
        places = new Map(toUniqueNames(names).map((name, index) => [name, index]))
      }
      values = row.values
      return isTrue(lookup)
    },
  }
}

const toColumns = (expression: Expression): readonly string[] => {
  switch (expression.kind) {
    case 'comparison':
      return [expression.path[0]]
    case 'not':
      return toColumns(expression.term)
    default:
      return expression.terms.flatMap(toColumns)
  }
}
