/**
 * Takes the JSON of a listing apart while it arrives, so that nothing but one row is held:
 *
 *     {"path":…,"parentPath":…,"entries":[ {"path":…,…,"content":[ row, row, … ],"error":…}, … ]}
 *
 * Rows are the values inside `content`, four levels down; an entry comes after its rows, without them.
 */
import { GatewayError } from './error.ts'

/** A row or an entry, as text. */
export type ListingPart = { readonly kind: 'row' | 'entry'; readonly text: string }

/** Longest row, or entry without its rows, in characters. */
export const maxPartLength = 1 << 26

/** Levels within the brackets of an entry, of its rows, and of one row. */
const entryLevel = 3
const rowsLevel = 4

/** Feeds text, and gives what became complete. */
export type ListingScan = {
  /** @throws GatewayError `too-long` */
  push(text: string): readonly ListingPart[]
  /** Whether the listing ended. */
  isWhole(): boolean
}

export const createListingScan = (): ListingScan => {
  let depth = 0
  let inString = false
  let isEscaped = false
  let isWhole = false
  /** What was seen of the row, and of the entry around it. */
  let row = ''
  let entry = ''

  /** Keeps a stretch that lies within one level; what lies between rows, between entries and around them is dropped. */
  const keep = (text: string): void => {
    if (depth > rowsLevel) row += text
    else if (depth === entryLevel) entry += text
    if (row.length + entry.length > maxPartLength) {
      throw new GatewayError('too-long', `A row has more than ${maxPartLength} characters`)
    }
  }
  const isInString = (char: number): boolean => {
    if (!inString) {
      inString = char === quote
      return inString
    }
    if (isEscaped) isEscaped = false
    else if (char === backslash) isEscaped = true
    else if (char === quote) inString = false
    return true
  }
  return {
    push: text => {
      const parts: ListingPart[] = []
      let start = 0
      const open = (at: number): void => {
        keep(text.slice(start, at))
        start = at
        depth++
        if (depth !== rowsLevel) return
        entry += '['
        start = at + 1
      }
      const close = (at: number): void => {
        if (depth === rowsLevel) entry += ']'
        else keep(text.slice(start, at + 1))
        start = at + 1
        depth--
        if (depth === rowsLevel) {
          parts.push({ kind: 'row', text: row })
          row = ''
        } else if (depth === entryLevel - 1) {
          parts.push({ kind: 'entry', text: entry })
          entry = ''
        }
        isWhole = depth === 0
      }
      for (let at = 0; at < text.length; at++) {
        const char = text.charCodeAt(at)
        if (isInString(char)) continue
        if (char === openBrace || char === openBracket) open(at)
        else if (char === closeBrace || char === closeBracket) close(at)
      }
      keep(text.slice(start))
      return parts
    },
    isWhole: () => isWhole,
  }
}

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
