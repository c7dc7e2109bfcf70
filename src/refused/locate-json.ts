import { skipSpace } from '../formats/json-grammar.ts'
import { scanJson } from '../formats/json-scan.ts'

/** A stretch of a text, in UTF-16 units. */
export type TextSpan = { readonly start: number; readonly end: number }

/**
 * The place of a value in a text of JSON, for display; no value is built.
 * @param path names of members, and numbers of elements @returns undefined if no value has that path, or the text
 * before it is not JSON
 */
export const locateJson = (text: string, path: readonly string[]): TextSpan | undefined => {
  let start: number | undefined = skipSpace(text, 0)
  for (const step of path) {
    start = childAt(text, start, step)
    if (start === undefined) return undefined
  }
  const end = endOf(text, start)
  return end === undefined ? undefined : { start, end }
}

const maxDepth = 1_000

const endOf = (text: string, start: number): number | undefined => {
  const scan = scanJson(text, start, maxDepth, { characters: 0 })
  return scan.ok ? scan.end : undefined
}

/** Where a member or an element of the value at an offset begins. */
const childAt = (text: string, start: number, step: string): number | undefined => {
  const isObject = text[start] === '{'
  if (!isObject && text[start] !== '[') return undefined
  let at = skipSpace(text, start + 1)
  for (let index = 0; at < text.length; index++) {
    let name: unknown = String(index)
    if (isObject) {
      const end = text[at] === '"' ? endOf(text, at) : undefined
      if (end === undefined) return undefined
      name = JSON.parse(text.slice(at, end))
      at = skipSpace(text, end)
      if (text[at] !== ':') return undefined
      at = skipSpace(text, at + 1)
    }
    if (name === step) return at
    const end = endOf(text, at)
    if (end === undefined) return undefined
    at = skipSpace(text, end)
    if (text[at] !== ',') return undefined
    at = skipSpace(text, at + 1)
  }
  return undefined
}
