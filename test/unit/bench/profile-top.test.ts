import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { toTopSelf, toTopText } from '../../bench/profile-top.ts'

const frame = (functionName: string, url = '', lineNumber = -1) => ({ functionName, url, lineNumber })
const source = pathToFileURL(join(import.meta.dirname, '../../../src/a.ts')).href
const profile = {
  nodes: [
    { id: 1, callFrame: frame('(idle)') },
    { id: 2, callFrame: frame('parse', source, 9) },
    { id: 3, callFrame: frame('parse', source, 9) },
    { id: 4, callFrame: frame('', 'node:net', 0) },
  ],
  samples: [1, 2, 3, 4],
  timeDeltas: [1_000, 30, 30, 40],
}

test('toTopSelf: self time of a function over all nodes and threads, idle time apart', () => {
  expect(toTopSelf([profile, profile], 5)).toEqual([
    { percent: 60, name: 'parse src/a.ts:10' },
    { percent: 40, name: '(anonymous) node:net:1' },
  ])
  expect(toTopText(toTopSelf([profile], 1))).toBe('60.0 % parse src/a.ts:10')
  expect(toTopSelf([], 5)).toEqual([])
})
