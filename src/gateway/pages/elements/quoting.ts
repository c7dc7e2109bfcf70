/**
 * Controls, format characters such as bidirectional marks, separators except the plain space: people cannot tell them
 * apart, some move the text around them, and browsers copy some as others.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u
const allHidden = new RegExp(hidden.source, 'gu')

/**
 * A text as one word of a shell: in single quotes, within which no character means anything. What a reader would not
 * see, or what would begin a line of its own, is written as an escape (`$'…'`: bash, zsh, ksh, POSIX 2024), of UTF-8's bytes.
 */
export const toShellWord = (text: string): string => {
  if (!hidden.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  // Not `\'`: where bash looks for `!`, that would end the quotes.
  return `$'${text.replaceAll('\\', '\\\\').replaceAll("'", '\\047').replaceAll(allHidden, toOctal)}'`
}

/** A text as a string of Python. */
export const toPythonString = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll(allHidden, toUnicodeEscape)}'`

/** A path as a pattern of Hadoop's shell that fits nothing else. */
export const toHadoopPattern = (path: string): string => path.replaceAll(/[\\*?[\]{}]/g, '\\$&')

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const toOctal = (char: string): string =>
  shortEscapes[char] ?? Array.from(Buffer.from(char), byte => `\\${byte.toString(8).padStart(3, '0')}`).join('')

const toUnicodeEscape = (char: string): string => {
  const short = shortEscapes[char]
  if (short !== undefined) return short
  const hex = (char.codePointAt(0) ?? 0).toString(16)
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}
