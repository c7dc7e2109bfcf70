import { describe, expect, test } from 'vitest'
import { createLogger, type Logger, type LoggerOptions } from '../../../src/log/log.ts'
import { hostileText, steering } from '../../suites/hostile-text.ts'

const collect = (options: Omit<LoggerOptions, 'write'>, body: (logger: Logger) => void): string[] => {
  const lines: string[] = []
  body(createLogger({ ...options, write: line => lines.push(line) }))
  return lines
}

describe('createLogger', () => {
  test('writes one JSON object per line', () => {
    const [line = ''] = collect({ format: 'json' }, logger => logger.info({ port: 1 }, 'ready'))
    expect(line.endsWith('\n')).toBe(true)
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      port: 1,
      msg: 'ready',
    })
  })

  test('writes text for people', () => {
    const [line = ''] = collect({ format: 'text' }, logger => logger.warn({ url: 'http://a', n: [1] }, 'careful'))
    expect(line).toMatch(/^\d\d:\d\d:\d\d WARN {2}careful {2}url=http:\/\/a {2}n=\[1\]\n$/)
  })

  test('shows the stack of an error in text, and its cause in JSON', () => {
    const error = new Error('outer', { cause: new Error('inner') })
    expect(collect({ format: 'text' }, logger => logger.error({ err: error }, 'failed')).join('')).toContain(
      '    Error: outer\n        at ',
    )
    expect(collect({ format: 'json' }, logger => logger.error({ err: error }, 'failed')).join('')).toContain('inner')
  })

  test('leaves out what is below the level', () => {
    expect(collect({ format: 'json', level: 'warn' }, logger => logger.info({}, 'quiet'))).toEqual([])
  })

  const secret = 'hunter2hunter2'
  const given: readonly (readonly [name: string, fields: Record<string, unknown>])[] = [
    ['a key', { token: secret }],
    ['a nested key', { request: { headers: { Authorization: `Bearer ${secret}` } } }],
    ['a key in a list', { mounts: [{ path: '/a', delegationToken: secret }] }],
    ['a URL', { url: `amqp://user:${secret}@broker:5672` }],
    ['a URL whose password has an @', { url: `amqp://user:p@${secret}@broker:5672/a@b` }],
    ['a query', { url: `http://n/webhdfs/v1/a?op=OPEN&delegation=${secret}&x=1` }],
    [
      'a query whose names are escaped',
      { url: `http://n/a?%74oken=${secret}&a=&%64elegation%2e=1&DELEG%41TION=${secret}` },
    ],
    [
      'an error',
      { err: new Error(`GET http://u:${secret}@h failed`, { cause: new Error(`token=1 ?token=${secret}`) }) },
    ],
    ['a header in a text', { detail: `authorization: bearer ${secret}` }],
    ['a ticket in a text', { detail: `authorization: Negotiate ${secret}` }],
  ]
  test.each(given)('S5: hides a secret in %s', (_, fields) => {
    for (const format of ['json', 'text'] as const) {
      const text = collect({ format }, logger => logger.info(fields, 'x')).join('')
      expect(text).toContain('(hidden)')
      expect(text).not.toContain(secret)
    }
  })

  test('hides a secret in the message, and keeps the rest', () => {
    const [line = ''] = collect({ format: 'json' }, logger =>
      logger.info({ tokens: null, path: '/a@b', url: 'http://h/a@b' }, `at http://x:${secret}@h`),
    )
    expect(JSON.parse(line)).toMatchObject({
      tokens: null,
      path: '/a@b',
      url: 'http://h/a@b',
      msg: 'at http://(hidden)@h',
    })
  })

  test('S1: what a client sent begins no line of its own, and steers no terminal', () => {
    const evil = 'x\n12:00:00 INFO  management  who=root\u001b[2J\u2028'
    const error = Object.assign(new Error(evil), { stack: `Error: ${evil}\n    at here` })
    const lines = collect({ format: 'text' }, logger => logger.info({ arguments: evil, err: error }, evil)).join('')
    const [first, ...rest] = lines.trimEnd().split('\n')
    expect(first).toContain('  arguments=x\\u000a12:00:00 INFO  management  who=root\\u001b[2J\\u2028')
    for (const line of rest) expect(line).toMatch(/^ {4}/)
    expect(lines).not.toContain('\u001b')
  })

  test('survives deep and odd fields', () => {
    const loop: Record<string, unknown> = { when: new Date(0), list: new Map(), big: 1n }
    loop['self'] = loop
    expect(collect({ format: 'json' }, logger => logger.info(loop, 'x'))).toHaveLength(1)
  })
})

describe('what clients send steers no terminal', () => {
  test.each(['json', 'text'] as const)('%s', format => {
    const [line = ''] = collect({ format }, logger =>
      logger.warn({ [hostileText]: hostileText, err: new Error(hostileText), list: [hostileText] }, hostileText),
    )
    expect(line.replaceAll('\n', '')).not.toMatch(steering)
    if (format === 'json') expect(JSON.parse(line)).toMatchObject({ msg: hostileText, [hostileText]: hostileText })
  })
})
