import { expect, test } from 'vitest'
import { findMark } from '../../../src/refused/mark.ts'
import { toRefusedRecord } from '../../../src/refused/refused-record.ts'

const order = '{"eventName":"Order","payload":{"total":"much","lines":[{"a/b":1}]}}'

test.each([
  ['a field of a contract', 'Order /total is "much"; expected a number', order, {}, '"much"'],
  ['a field within', 'Order /lines/0/a~1b is the number 1; expected a text', order, {}, '1'],
  [
    'one that is missing',
    'Order /lines/0/price is missing; expected a value, for it is required',
    order,
    {},
    '{"a/b":1}',
  ],
  ['a field of a registry', 'Order.total is a string; expected double', order, {}, '"much"'],
  ['a list with one event', 'Order /total is "much"; expected a number', `[${order}]`, {}, '"much"'],
  [
    'an event of another make',
    'Order /total is "much"; expected a number',
    '{"event":"Order","total":"much"}',
    {},
    '"much"',
  ],
  ['a character', 'json: expected a value, found "o" at character 1', 'no JSON', {}, 'o'],
  ['a byte behind letters of two', 'json: found "x" at byte 4', '"éx', {}, 'x'],
  ['a byte behind emoji and accents', 'json: it breaks off at byte 16 of 21', '{"a":"é😀é",oops}', {}, 'o'],
  ['a character behind them', 'json: expected a name at character 12', '{"a":"é😀é",oops}', {}, 'o'],
  ['a whole emoji', 'json: found it at byte 3', '"é😀"', {}, '😀'],
  ['a byte within it', 'json: found it at byte 5', '"é😀"', {}, '😀'],
  ['a half of it', 'json: found it at character 3', '"é😀"', {}, '😀'],
  ['a character behind a byte order mark', 'json: found it at character 1', '\ufeff"x', {}, 'x'],
  ['a byte behind one', 'json: found it at byte 3', '\ufeff"éx', {}, 'x'],
  ['a byte at the end', 'json: expected more at byte 99', '{', {}, '{'],
])('%s', (_, detail, sent, more, marked) => {
  const mark = findMark(toRefusedRecord({ type: 'Order', detail, sent, ...more }))
  expect(mark && sent.slice(mark.start, mark.end)).toBe(marked)
})

test.each([
  ['nothing was stored', 'Order /total is "much"; expected a number', { sent: undefined }],
  ['a byte of the request that it was in', 'json: expected a value at byte 4', { position: 3 }],
  ['a byte of a text without mask', 'json: expected a value at byte 4', { sent: '{"token":"(hidden)",' }],
  ['a byte of what a form has', 'json: expected a value at byte 4', { sent: 'data=e30%3D' }],
  ['a character of UTF-16', 'json: expected a value at character 1', { sent: '{\0"\0' }],
  ['no place', 'The event name is empty', {}],
  ['a field that is not there', 'Order /other is 1; expected 2', {}],
])('none: %s', (_, detail, more) => {
  expect(findMark(toRefusedRecord({ type: 'Order', detail, sent: order, ...more }))).toBeUndefined()
})
