import { expect, test } from 'vitest'
import { answersOf } from '../../bench/answers.ts'
import type { RequestKind } from '../../bench/events.ts'
import { scribeOk } from '../../bench/scribe.ts'

const head = (status: string, field: string): string => `HTTP/1.1 ${status}\r\nX: y\r\n${field}\r\n\r\n`
const empty = head('202 Accepted', 'Content-Length: 0')
const counts = (rejected: number): string => {
  const body = `{"accepted":1,"rejected":${rejected},"ids":[]}`
  return head('202 Accepted', `content-length: ${body.length}`) + body
}
const chunked = head('200 OK', 'Transfer-Encoding: chunked')

test.each<[RequestKind, string, string | undefined]>([
  ['post', empty, 'good'],
  ['get1', counts(0), 'good'],
  ['batch', counts(1), 'bad'],
  ['post', `${empty}x`, 'bad'],
  ['post', empty.slice(0, -1), undefined],
  ['batch', counts(0).slice(0, -1), undefined],
  ['post', head('503 Service Unavailable', 'Content-Length: 0'), 'refused'],
  ['post', head('400 Bad Request', 'Content-Length: 0'), 'bad'],
  ['post', head('200 OK', 'Content-Length: 0'), 'bad'],
  ['post', 'HTTP/1.1 202', undefined],
  ['flume', `${chunked}0\r\n\r\n`, 'good'],
  ['flume-batch', head('200 OK', 'Content-Length: 0'), 'good'],
  ['flume', chunked, undefined],
  ['flume', `${chunked}2\r\nhm\r\n0\r\n\r\n`, 'bad'],
  ['flume', empty, 'bad'],
  ['flume-batch', `${head('503 Full', 'Transfer-Encoding: chunked')}2\r\nhm\r\n0\r\n\r\n`, 'refused'],
])('answersOf: %s, %j is %s', (kind, text, want) => {
  const { parse, isUsual } = answersOf(kind)
  expect(parse(Buffer.from(text))).toBe(want)
  if (want === 'good') expect(isUsual(Buffer.from(text))).toBe(true)
  if (want === 'refused') expect(isUsual(Buffer.from(text))).toBe(false)
})

test('answersOf: an answer without a length is an error', () => {
  expect(() => answersOf('post').parse(Buffer.from(head('202 Accepted', 'A: b')))).toThrow('has no length')
})

test('answersOf: of Scribe it takes the whole frame of OK, and no other result', () => {
  const { parse, isUsual } = answersOf('scribe')
  const tryLater = Buffer.from(scribeOk)
  tryLater[scribeOk.length - 2] = 1
  expect([parse(scribeOk), parse(tryLater), parse(scribeOk.subarray(0, 10))]).toEqual(['good', 'bad', undefined])
  expect([isUsual(scribeOk), isUsual(tryLater)]).toEqual([true, false])
})
