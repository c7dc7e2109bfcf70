/** An item of a list in a header, as RFC 9651 has it: a string, and parameters. */
export type ListItem = { readonly value: string; readonly params: Readonly<Record<string, string | number>> }

/**
 * Reads a list of strings with parameters (RFC 9651, sections 4.2.1 to 4.2.5), as far as `RateLimit` has them: no tokens, no inner
 * lists, no decimals.
 * @throws SyntaxError where a recipient would ignore the whole field
 */
export const parseList = (field: string): readonly ListItem[] => {
  const reader = new FieldReader(field.replace(/^ +| +$/g, ''))
  const items: ListItem[] = []
  while (!reader.isAtEnd) {
    items.push(readItem(reader))
    reader.skip(/[ \t]*/y)
    if (reader.isAtEnd) break
    reader.take(/,/y)
    reader.skip(/[ \t]*/y)
    if (reader.isAtEnd) throw new SyntaxError(`A comma ends ${field}`)
  }
  return items
}

class FieldReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  /** @param pattern sticky */
  skip(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  take(pattern: RegExp): string {
    const found = this.skip(pattern)
    if (found === undefined) throw new SyntaxError(`No ${pattern.source} at ${this.#at} of ${this.#text}`)
    return found
  }
}

const readItem = (reader: FieldReader): ListItem => {
  const value = readString(reader)
  const params: Record<string, string | number> = {}
  while (reader.skip(/; */y) !== undefined) {
    const key = reader.take(/[a-z*][a-z0-9_.*-]*/y)
    reader.take(/=/y)
    params[key] = readInteger(reader) ?? readString(reader)
  }
  return { value, params }
}

const readString = (reader: FieldReader): string =>
  reader
    .take(/"(?:[ !#-[\]-~]|\\["\\])*"/y)
    .slice(1, -1)
    .replaceAll(/\\(.)/g, '$1')

const readInteger = (reader: FieldReader): number | undefined => {
  const digits = reader.skip(/-?\d+/y)
  if (digits === undefined) return undefined
  if (digits.replace('-', '').length > 15) throw new SyntaxError(`${digits} has more than 15 digits`)
  return Number(digits)
}
