import type { Value } from '../../formats/number.ts'
import { toUniqueNames } from '../../formats/unique-names.ts'
import type { Row } from '../row.ts'
import { compile, type FieldLookup } from './evaluate.ts'
import type { Expression } from './expression.ts'
import { parseExpression } from './parse.ts'
import { SeenFields } from './seen-fields.ts'
import { maxRowSteps, Steps } from './steps.ts'

/** Which rows are wanted, by their contents. */
export type Where = {
  /** As it was written. */
  readonly text: string
  readonly expression: Expression
  /** Names of the columns that it looks at, each once. */
  readonly columns: readonly string[]
  /** Whether it looks at all columns. */
  readonly isAnyColumn: boolean
  /** @throws LimitError it takes more steps than one row may */
  matches(row: Row): boolean
  /** What all rows have taken so far. */
  readonly steps: Pick<Steps, 'taken'>
  /** Which of its columns, and names within them, the rows so far have. */
  readonly fields: Pick<SeenFields, 'clear' | 'missing' | 'problem'>
}

/**
 * Reads `status >= 500 and path ~ "/api"`.
 * @param maxSteps what one row may take
 * @throws FormatError `where`: at which character what was expected, and what is there
 */
export const parseWhere = (text: string, maxSteps = maxRowSteps): Where => {
  const expression = parseExpression(text)
  const steps = new Steps(maxSteps)
  let names: readonly string[] | undefined
  let places: ReadonlyMap<string, number> = new Map()
  let values: readonly Value[] = []
  const columns = [...new Set(toColumns(expression))]
  const fields = new SeenFields(columns)
  const isTrue = compile(expression, steps, path => fields.watch(path))
  const lookup: FieldLookup = {
    find: column => {
      const place = places.get(column)
      return place === undefined ? undefined : values[place]
    },
    all: () => values,
  }
  return {
    text,
    expression,
    steps,
    fields: {
      clear: () => {
        fields.clear()
        names = undefined
      },
      get missing() {
        return fields.missing
      },
      get problem() {
        return fields.problem
      },
    },
    columns,
    isAnyColumn: looksAnywhere(expression),
    matches: row => {
      // Rows of one shape share their names.
      if (row.names !== names) {
        names = row.names
        const unique = toUniqueNames(names)
        places = new Map(unique.map((name, index) => [name, index]))
        fields.add(unique)
      }
      values = row.values
      steps.refill()
      return isTrue(lookup)
    },
  }
}

const toColumns = (expression: Expression): readonly string[] => {
  switch (expression.kind) {
    case 'comparison':
      return [expression.path[0]]
    case 'anywhere':
      return []
    case 'not':
      return toColumns(expression.term)
    default:
      return expression.terms.flatMap(toColumns)
  }
}

const looksAnywhere = (expression: Expression): boolean => {
  switch (expression.kind) {
    case 'comparison':
      return false
    case 'anywhere':
      return true
    case 'not':
      return looksAnywhere(expression.term)
    default:
      return expression.terms.some(looksAnywhere)
  }
}
