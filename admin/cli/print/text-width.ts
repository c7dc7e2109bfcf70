import { stripVTControlCharacters } from 'node:util'
import { escapeControls } from '../../../src/text/control-characters.ts'
import { withoutControl } from './terminal.ts'

/** Columns that a text takes in a terminal; colours take none, and wide East Asian characters and emoji two. */
export const textWidth = (text: string): number => {
  const plain = stripVTControlCharacters(withoutControl(text))
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length
  let width = 0
  for (const char of plain) width += zeroWidth.test(char) ? 0 : wide.test(char) ? 2 : 1
  return width
}

/** Cuts a text without colours to a number of columns, with an ellipsis for the rest. */
export const truncate = (text: string, columns: number): string => {
  if (textWidth(text) <= columns) return text
  let cut = ''
  let width = 0
  for (const char of text) {
    width += textWidth(char)
    if (width > columns - 1) break
    cut += char
  }
  return columns < 1 ? '' : `${cut}…`
}

/** Breaks a text at spaces into lines of a number of columns; a longer word stays whole. */
export const wrap = (text: string, columns: number): string[] => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && textWidth(longer) > columns) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return line === '' ? lines : [...lines, line]
}

/** Columns for running text on standard output; unbounded in a pipe. A terminal that does not know its size has 80. */
export const textColumns = (): number =>
  process.stdout.isTTY ? Math.max(20, process.stdout.columns || 80) : Number.POSITIVE_INFINITY

/** Data within a line for people: control characters, the ends of lines among them, are shown as escapes. */
export const toSafeText = (text: string): string => escapeControls(text.replaceAll('\t', ' '))

const zeroWidth = /\p{Mn}|\p{Me}|[\u200b-\u200f]/u
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
