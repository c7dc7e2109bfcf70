/** Rows as they are compared, whichever program read them; `python/rows.py` makes the same of what Python has. */

/** Integers are text of digits, bytes base64, times ISO 8601; what is null is left out; `_extra` is parsed. */
export type Row = Readonly<Record<string, unknown>>

/** The row that a reader must find of an event with these columns. */
export const toRow = (columns: Row): Row => {
  const { _extra, ...others } = columns
  return { ...toMembers(others), ...(_extra !== undefined && { _extra }) }
}

/** Columns of fractions: an integer in them is one. */
const fractions = new Set(['total', 'share', 'field_2', 'discount', 'count', 'grid', 'd'])

const toMembers = (value: object): Row =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .map(([name, member]) => [name, fractions.has(name) ? member : toValue(member)]),
  )

const toValue = (value: unknown): unknown => {
  if (typeof value === 'bigint' || Number.isInteger(value)) return String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(toValue)
  return typeof value === 'object' && value !== null ? toMembers(value) : value
}
