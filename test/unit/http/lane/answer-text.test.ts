import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFixedResponse } from '../../../../src/http/answers/fixed-response.ts'
import { toAnswerLines, toFixedLines } from '../../../../src/http/lane/answer-lines.ts'
import { type AnswerText, createAnswerText } from '../../../../src/http/lane/answer-text.ts'

describe('createAnswerText', () => {
  let toText: AnswerText
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2020, 1, 2, 3, 4, 5, 600) })
    toText = createAnswerText({ keepAliveTimeoutMs: 7_500 }, ['X-A', '1', 'X-B', '2'])
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const date = (second: number): string => `Date: Sun, 02 Feb 2020 03:04:0${second} GMT\r\n`
  const fixed = toFixedLines(createFixedResponse(202, { 'x-own': 'o' }, 'body'))
  const head = 'HTTP/1.1 202 Accepted\r\nx-own: o\r\ncontent-length: 4\r\nX-A: 1\r\nX-B: 2\r\n'
  const keepsAlive = 'Connection: keep-alive\r\nKeep-Alive: timeout=7\r\n\r\n'

  test('ends the head with further headers, the date, and what becomes of the connection', () => {
    const want = `${head}${date(5)}${keepsAlive}body`
    expect([toText(fixed, false), toText(fixed, false)]).toEqual([want, want])
    expect(toText(fixed, true)).toBe(`${head}${date(5)}Connection: close\r\n\r\nbody`)
    expect(toText(fixed, false)).toBe(want)
  })

  test('has the date of the second, for an answer that was given before, too', () => {
    expect(toText(fixed, false)).toContain(date(5))
    vi.advanceTimersByTime(399)
    expect(toText(fixed, false)).toContain(date(5))
    vi.advanceTimersByTime(1)
    expect(toText(fixed, false)).toContain(date(6))
    vi.advanceTimersByTime(1_000)
    expect([toText(fixed, true), toText(fixed, false)].every(text => text.includes(date(7)))).toBe(true)
  })

  test('keeps no answer that is given once', async () => {
    const once = await toAnswerLines(new Response('a', { status: 202 }))
    expect(once.isFixed).toBe(false)
    expect(toText(once, false)).toContain('\r\n\r\na')
    expect(toText({ ...once, content: 'b' }, false)).toContain('\r\n\r\nb')
  })

  test('tells many fixed answers apart', () => {
    const answers = Array.from({ length: 100 }, (_, i) => toFixedLines(createFixedResponse(202, {}, `n${i}`)))
    for (const round of [1, 2]) {
      const texts = answers.map(answer => toText(answer, false).split('\r\n\r\n')[1])
      expect([round, texts]).toEqual([round, answers.map((_, i) => `n${i}`)])
    }
  })
})
