/** What `JSON.parse` passes to a reviver besides key and value; TypeScript does not know it yet. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown

/** A number can lose digits only if 16 or more follow one another after a structural character. */
const longInteger = /(?:^|[:,[])\s*-?\d{16}/

const parseWithSource = JSON.parse as ParseWithSource

/**
 * Parses JSON without rounding: an integer beyond 2^53 becomes a `bigint`. Ordinary texts take the ordinary, fast way.
 * @throws SyntaxError for text that is not JSON
 */
export const parseExactJson = (text: string): unknown =>
  longInteger.test(text) ? parseWithSource(text, keepInteger) : JSON.parse(text)

const keepInteger = (_key: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
    ? BigInt(source)
    : value
