import { expect, test } from 'vitest'
import { locateJson } from '../../../src/refused/locate-json.ts'

test.each([
  ['{"a":1}', ['a'], '1'],
  [' { "a" : { "b" : [ 1 , "x\\"}" ] } } ', ['a', 'b', '1'], '"x\\"}"'],
  ['{"a":{"c":2},"b":{"c":[3]}}', ['b', 'c'], '[3]'],
  [String.raw`{"\u0061":true}`, ['a'], 'true'],
  ['[{"a":"é"},{"a":"ü"}]', ['1', 'a'], '"ü"'],
  ['{"a":1}', [], '{"a":1}'],
  ['{"a":1} {', ['a'], '1'],
  ['{"a":1', ['a'], '1'],
])('%s at %j', (text, path, found) => {
  const span = locateJson(text, path)
  expect(span && text.slice(span.start, span.end)).toBe(found)
})

test.each([
  ['{"a":1}', ['b']],
  ['{"a":1}', ['a', 'b']],
  ['[1]', ['1']],
  ['[]', ['0']],
  ['{a:1}', ['a']],
  ['{"a" 1}', ['a']],
  ['{"a":}', ['a']],
  ['{"b":tru,"a":1}', ['a']],
  ['', ['a']],
  ['', []],
])('%s has nothing at %j', (text, path) => {
  expect(locateJson(text, path)).toBeUndefined()
})
