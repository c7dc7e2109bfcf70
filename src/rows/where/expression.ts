import type { Literal } from './literal.ts'

/** `~` is "contains", whatever the case. */
export const operators = ['=', '!=', '<=', '<', '>=', '>', '~', '!~'] as const

export type Operator = (typeof operators)[number]

/** `a.b.c`: the name of a column, and names within its value. */
export type FieldPath = readonly [column: string, ...within: string[]]

/** Compares the value at a path. */
export type Comparison = {
  readonly kind: 'comparison'
  readonly path: FieldPath
  readonly operator: Operator
  readonly literal: Literal
}

/** What {@link parseExpression} makes of a text. */
export type Expression =
  | Comparison
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Expression[] }
  | { readonly kind: 'not'; readonly term: Expression }
