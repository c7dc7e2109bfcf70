import type { Comparison, Expression } from './expression.ts'

/** How the smallest and the largest value of some rows compare with a literal, as `sort` has it. */
export type Orders = readonly [least: number, most: number]

/**
 * Whether an expression may be true of some rows of which no more is known than bounds.
 * @param toOrders how the values that are compared lie; `nothing` where all are null, undefined where that is not known
 */
export const mayBeTrue = (
  expression: Expression,
  toOrders: (comparison: Comparison) => Orders | 'nothing' | undefined,
): boolean => {
  switch (expression.kind) {
    case 'and':
      return expression.terms.every(term => mayBeTrue(term, toOrders))
    case 'or':
      return expression.terms.some(term => mayBeTrue(term, toOrders))
    case 'not':
    case 'anywhere':
      return true
    case 'comparison':
      return mayCompare(expression, toOrders(expression))
  }
}

const mayCompare = ({ operator }: Comparison, orders: Orders | 'nothing' | undefined): boolean => {
  if (orders === undefined) return true
  const [least, most] = orders === 'nothing' ? [Number.NaN, Number.NaN] : orders
  switch (operator) {
    case '=':
      return least <= 0 && most >= 0
    case '<':
      return least < 0
    case '<=':
      return least <= 0
    case '>':
      return most > 0
    case '>=':
      return most >= 0
    default:
      return true
  }
}
