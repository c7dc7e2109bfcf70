import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isSettingKey, settingOf } from '../../src/config/table.ts'
import { createTestApp, parseContract } from '../unit/contract/fixture.ts'

const yaml = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')
const limit = 'schema: { type: string, minLength: 1, maxLength: 8000 }\n      example: PageView,s/news,487'

// The contract itself must be what refuses, not a copy of its limits in code.
test('the 400 moves with maxLength of v', async () => {
  expect(yaml.split(limit)).toHaveLength(2)
  const moved = parseContract(yaml.replace(limit, limit.replace('8000', '10')))
  const statuses = async (chars: number) => {
    const target = `/1?v=${'a'.repeat(chars)}`
    return [(await createTestApp().request(target)).status, (await createTestApp({ of: moved }).request(target)).status]
  }
  expect(await statuses(10)).toEqual([202, 202])
  expect(await statuses(11)).toEqual([202, 400])
  expect(await statuses(8000)).toEqual([202, 400])
  expect(await statuses(8001)).toEqual([400, 400])
})

test('a default moves with the contract', async () => {
  const moved = parseContract(yaml.replace('default: HOURLY', 'default: DAILY'))
  const seen = {}
  await createTestApp({ of: moved, seen }).request('/1?v=a')
  expect(seen).toMatchObject({ call: { params: { gr: 'DAILY' } } })
})

test('defaults of settings that the contract tells are those of the settings', () => {
  const told = [
    ...yaml.matchAll(/`([a-z.-]+)`, ([\d,]+) by default/g),
    ...[...yaml.matchAll(/at most (\d+) [^\n]*\(([a-z]+\.[a-z.-]+)\)/g)].map(([all, number, key]) => [
      all,
      key,
      number,
    ]),
  ].map(([, key = '', number = '']) => [key, Number(number.replaceAll(',', ''))] as const)
  expect(new Set(told.map(([key]) => key))).toEqual(new Set(['gateway.max-reads', 'collector.max-body-bytes']))
  for (const [key, number] of told) expect([key, isSettingKey(key) && settingOf(key).default]).toEqual([key, number])
})
