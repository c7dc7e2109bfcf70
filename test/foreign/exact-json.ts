/** A JSON text, read by the engine's own parser, whose revivers see the digits of a number: long integers are BigInts. */
export const parseExactJson = (text: string): unknown => parseWith(text, exactInteger)

/** Revivers see the text of a number; the types of TypeScript do not know that yet. */
type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown

const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown

const exactInteger: Reviver = (_name, value, { source = '' }) => (/^-?\d{16,}$/.test(source) ? BigInt(source) : value)
