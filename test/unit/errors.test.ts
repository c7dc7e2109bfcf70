import { describe, expect, test } from 'vitest'
import { errorTable, FormatError, SluiceError, toProblem, toResponse } from '../../src/errors.ts'

describe('toResponse', () => {
  test.each(Object.entries(errorTable))('%s', async (code, { status, title }) => {
    const response = toResponse(new SluiceError(code as keyof typeof errorTable, 'why'))
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
    expect(await response.json()).toEqual({ type: 'about:blank', title, status, code, detail: 'why' })
  })

  test('shows nothing of an unknown error', async () => {
    for (const thrown of [new TypeError('inner path /etc'), 'text', undefined, { code: 'not-found' }]) {
      expect(await toResponse(thrown).json()).toEqual({
        type: 'about:blank',
        title: 'Internal error',
        status: 500,
        code: 'internal',
      })
    }
  })

  test('adds the headers of the error', () => {
    const error = new SluiceError('method-not-allowed', 'no', { headers: { allow: 'GET' } })
    expect(toResponse(error).headers.get('allow')).toBe('GET')
  })

  test('keeps the cause for the log only', () => {
    const error = new SluiceError('unavailable', 'away', { cause: new Error('secret') })
    expect(error.cause).toBeInstanceOf(Error)
    expect(JSON.stringify(toProblem(error))).not.toContain('secret')
    expect(new SluiceError('exists', 'x')).not.toHaveProperty('cause')
  })
})

test('FormatError says what, where and what was expected', () => {
  expect(new FormatError('Smile', 7, 'expected a key').message).toBe('Smile: expected a key at byte 7')
  expect(new FormatError('JSON', 7, 'expected a value', { unit: 'character' }).message).toBe(
    'JSON: expected a value at character 7',
  )
})
