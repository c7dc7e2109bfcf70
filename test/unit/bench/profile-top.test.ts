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
    { id: 5, callFrame: frame('compile') },
  ],
  samples: [5, 5, 1, 2, 3, 4],
  timeDeltas: [900, 100, 900, 30, 30, 140],
}

test('toTopSelf: self time of a function over all nodes and profiles, without idle time and start', () => {
  expect(toTopSelf([profile, profile], 5)).toEqual([
    { percent: 70, name: '(anonymous) node:net:1' },
    { percent: 30, name: 'parse src/a.ts:10' },
  ])
  expect(toTopText(toTopSelf([profile], 1))).toBe('70.0 % (anonymous) node:net:1')
  expect(toTopSelf([], 5)).toEqual([])
})
