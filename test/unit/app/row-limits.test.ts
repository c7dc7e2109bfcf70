import { expect, onTestFinished, test } from 'vitest'
import { createTestGateway } from '../../suites/gateway.ts'

/** What reading a line of JSON with so many values, or a text of so many bytes, says is wrong with it. */
const read = async (of: { readonly values?: number; readonly bytes?: number }, ...settings: readonly string[]) => {
  const server = await createTestGateway({ settings: ['gateway.readers=0', ...settings] })
  onTestFinished(() => server.close())
  const row = { a: 'x'.repeat(of.bytes ?? 0), b: Array.from({ length: of.values ?? 0 }, () => 1) }
  const headers = { 'content-type': 'application/octet-stream' }
  const body = `${JSON.stringify(row)}\n`
  expect((await server.call('/rest/1.0?path=/one.json', { method: 'POST', headers, body })).ok).toBe(true)
  const text = await (await server.call('/rest/1.0/json?path=/one.json')).text()
  return /at most \d+ \w+ \([^)]+\)/.exec(text)?.[0] ?? ''
}

test('what a row may hold follows the memory of a reader', async () => {
  const more = 'gateway.reader-memory-bytes=2GiB'
  expect(await read({ values: 150_000 })).toBe('at most 100000 values (gateway.reader-memory-bytes)')
  expect(await read({ values: 150_000 }, more)).toBe('')
  expect(await read({ values: 250_000 }, more)).toBe('at most 200000 values (gateway.reader-memory-bytes)')
  expect(await read({ values: 90_000 }, 'gateway.reader-memory-bytes=128MiB')).toBe('')
  expect(await read({ bytes: 17 * 2 ** 20 })).toBe('at most 16777216 bytes (gateway.reader-memory-bytes)')
  expect(await read({ bytes: 17 * 2 ** 20 }, more)).toBe('')
})

test('while the settings of before are given they decide, and errors name them', async () => {
  const values = 'gateway.max-values-per-row=1000'
  const bytes = 'gateway.max-row-bytes=65536'
  expect(await read({ values: 2_000 }, values)).toBe('at most 1000 values (gateway.max-values-per-row)')
  expect(await read({ bytes: 70_000 }, bytes)).toBe('at most 65536 bytes (gateway.max-row-bytes)')
  expect(await read({ values: 150_000 }, 'gateway.max-values-per-row=200000')).toBe('')
  expect(await read({ bytes: 70_000 }, values)).toBe('')
})
