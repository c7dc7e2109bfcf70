import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Applies a diff whose hunks have no line numbers: the lines that a hunk removes, with the lines around them, occur in
 * the file once; `@@` alone separates two hunks. A hunk without such lines goes to the beginning of the file, or to its
 * end when it is not the first.
 * @returns the paths of the files
 * @throws Error for a hunk that does not fit
 */
export const applyDiff = (diff: string, root: string): string[] =>
  diff
    .split(/^--- a\/.*\n/m)
    .slice(1)
    .map(part => {
      const [, path = '', hunks = ''] = /^\+\+\+ b\/(\S+)\n([\s\S]*)$/.exec(part) ?? []
      const file = join(root, path)
      const text = hunks.split(/^@@\n/m).reduce((now, hunk, i) => applyHunk(now, hunk, i === 0, path), read(file))
      writeFileSync(file, text)
      return path
    })

const read = (file: string): string => readFileSync(file, 'utf8')

const applyHunk = (text: string, hunk: string, isFirst: boolean, path: string): string => {
  const before = linesOf(hunk, ' -')
  const after = linesOf(hunk, ' +')
  if (before === '') return isFirst ? after + text : text + after
  const [head = '', tail, ...others] = text.split(before)
  if (tail === undefined || others.length > 0)
    throw new Error(`${path} has ${tail === undefined ? 'no' : 'more than one'} place like this:\n${before}`)
  return head + after + tail
}

/** The lines with one of these signs, without it. */
const linesOf = (hunk: string, signs: string): string =>
  hunk
    .split('\n')
    .filter(line => line !== '' && signs.includes(line.charAt(0)))
    .map(line => `${line.slice(1)}\n`)
    .join('')
