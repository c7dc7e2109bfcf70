import { isRangeWanted, judgeConditions, toValidators } from '../../../src/gateway/bytes/conditional.ts'
import { parseByteRange } from '../../../src/gateway/bytes/http-range.ts'
import { createRowWindow, parseRange } from '../../../src/gateway/rows/range.ts'
import { parsePermission } from '../../../src/gateway/write/permission.ts'
import { tried } from '../tried.ts'

/** The header `Range`, the parameter `range`, conditions and permissions; each has a line or all of the input. */
export const name = 'range'

export const dictionary = ['bytes=', '-', ',', ' ', '\t', '0-0', '-0', '9999999999999999', '"1-2"', 'W/', '*', '\n']

const sizes = [0, 1, 100, 2 ** 40]
const validators = toValidators({ modificationTime: 1_304_459_794_698, length: 100 })

/** A range lies within the file; rows are in their order, each once; a condition is judged one way or the other. */
export const run = (bytes: Uint8Array): void => {
  const text = Buffer.from(bytes).toString('utf8')
  for (const one of [text, ...text.split('\n').slice(0, 4)]) {
    for (const size of sizes) checkBytes(one, size)
    checkRows(one)
    tried(() => parsePermission(one))
    isRangeWanted(one, validators)
  }
  const [match, unmodified, noneMatch, modified] = text.split('\n')
  judgeConditions(
    {
      'If-Match': match,
      'If-Unmodified-Since': unmodified,
      'If-None-Match': noneMatch,
      'If-Modified-Since': modified,
    },
    validators,
  )
}

const checkBytes = (text: string, size: number): void => {
  const range = parseByteRange(text, size)
  if (range === undefined || range === 'unsatisfiable') return
  const { offset, length } = range
  if (offset < 0 || length < 1 || offset + length > size) throw new Error(`${offset}+${length} of ${size} bytes`)
}

const checkRows = (text: string): void => {
  const range = tried(() => parseRange(text))
  if (!range) return
  const window = createRowWindow(range)
  const taken: number[] = []
  for (let row = 0; row < 40; row += 8) {
    taken.push(...window.take(Array.from({ length: 8 }, (_, i) => row + i)))
    if (window.isDone) break
  }
  const want = Array.from({ length: 40 }, (_, i) => i).filter(row => row >= range.first && row <= range.last)
  if (taken.join() !== want.join()) throw new Error(`${taken.join()} are not the rows ${range.first}-${range.last}`)
}
