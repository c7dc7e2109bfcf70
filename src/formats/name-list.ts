import { FormatError } from '../errors.ts'

/**
 * Splits a list of names at its commas, ignoring spaces around names. A name in double quotes is the text between
 * these, with quotes in it doubled; empty places are skipped.
 * @throws FormatError `names`: a quote that is not closed, or text after one that closes
 */
export const parseNames = (text: string): readonly string[] => {
  const names: string[] = []
  for (let at = 0; at < text.length; at++) {
    while (text[at] === ' ') at++
    if (text[at] === '"') {
      const { name, end } = takeQuoted(text, at)
      names.push(name)
      at = end
    } else {
      const comma = text.indexOf(',', at)
      const end = comma < 0 ? text.length : comma
      const name = text.slice(at, end).trimEnd()
      if (name !== '') names.push(name)
      at = end
    }
  }
  return names
}

/** Makes the list that {@link parseNames} takes apart again. */
export const formatNames = (names: readonly string[]): string =>
  names.map(name => (needsQuotes(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(',')

const needsQuotes = (name: string): boolean =>
  name === '' || name.startsWith('"') || name.startsWith(' ') || name.includes(',') || name.trimEnd() !== name

/** The name in quotes at `start`, and the place of the comma after it, or the end. */
const takeQuoted = (text: string, start: number): { readonly name: string; readonly end: number } => {
  let name = ''
  for (let from = start + 1; ; ) {
    const close = text.indexOf('"', from)
    if (close < 0) throw fault(start, 'expected the quote that closes a name, found the end')
    name += text.slice(from, close)
    if (text[close + 1] === '"') {
      name += '"'
      from = close + 2
      continue
    }
    const comma = text.indexOf(',', close)
    const end = comma < 0 ? text.length : comma
    if (text.slice(close + 1, end).trim() !== '') throw fault(close + 1, 'expected a comma behind a name in quotes')
    return { name, end }
  }
}

const fault = (at: number, message: string): FormatError => new FormatError('names', at, message, { unit: 'character' })
