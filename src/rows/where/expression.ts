import type { Literal } from './literal.ts'

/** Operators that are signs; `~` is "contains", whatever the case. */
export const operators = ['=', '!=', '<=', '<', '>=', '>', '~', '!~'] as const

/** `like` is SQL's: `%` matches any characters, `_` one. */
export type Operator = (typeof operators)[number] | 'like'

/** `a.b.c`: the name of a column, and names within its value. */
export type FieldPath = readonly [column: string, ...within: string[]]

/** Compares the value at a path. */
export type Comparison = {
  readonly kind: 'comparison'
  readonly path: FieldPath
  readonly operator: Operator
  readonly literal: Literal
}

/** Looks for a text in all columns, whatever the case. */
export type Anywhere = { readonly kind: 'anywhere'; readonly text: string }

/** What {@link parseExpression} makes of a text. */
export type Expression =
  | Comparison
  | Anywhere
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Expression[] }
  | { readonly kind: 'not'; readonly term: Expression }
