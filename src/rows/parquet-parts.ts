import { Budget, type BudgetLimits } from '../formats/budget.ts'
import { BatchSize } from './limits.ts'
import type { DecodedRows } from './parquet-decode.ts'

/**
 * Cuts decoded rows into parts that another thread takes over in one turn, and counts what is in each row. The last
 * part may be empty.
 * @param first number of the first row, for errors
 * @throws LimitError a row over its limits, after the parts before it
 */
export function* cutRows(
  { rows, toSent }: DecodedRows,
  first: number,
  limits: BudgetLimits,
): Generator<readonly (readonly unknown[])[], void, undefined> {
  const budget = new Budget('parquet', limits)
  let size = new BatchSize()
  let part: (readonly unknown[])[] = []
  try {
    for (const [index, row] of rows.entries()) {
      budget.refill(first + index)
      count(row, budget)
      part.push(toSent(row))
      if (!size.add(budget)) continue
      yield part
      part = []
      size = new BatchSize()
    }
  } catch (error) {
    if (part.length > 0) yield part
    throw error
  }
  if (part.length > 0) yield part
}

const count = (value: unknown, budget: Budget): void => {
  budget.value()
  if (typeof value === 'string') budget.bytes(value.length)
  else if (value instanceof Uint8Array) budget.bytes(value.length)
  else if (Array.isArray(value)) for (const element of value) count(element, budget)
  else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    for (const [name, inner] of Object.entries(value)) {
      budget.bytes(name.length)
      count(inner, budget)
    }
  }
}
