import { describe, expect, test } from 'vitest'
import { createTestCollector, get, outcomeOf, post } from './fakes.ts'

const event = '{"eventName":"A","payload":{"x":1}}'
const warning = '199 sluice "1 accepted, 0 rejected, kept on one machine alone"'

const start = () => {
  const { collector, spool } = createTestCollector()
  spool.durability = 'local'
  return { collector, spool }
}

describe('a 202 for events that are on one machine alone', () => {
  test('says so in the body of a POST, and in the Warning', async () => {
    const response = await post(start().collector, event)
    expect([response.status, response.headers.get('warning')]).toEqual([202, warning])
    expect(await outcomeOf(response)).toEqual({ accepted: 1, rejected: 0, errors: [], durability: 'local' })
  })

  test('says so in the Warning of a GET, which has no body', async () => {
    const response = await get(start().collector, '/1?v=A')
    expect([response.status, response.headers.get('warning'), await response.text()]).toEqual([202, warning, ''])
  })

  test('says so beside what was refused, and nothing of it where nothing was kept', async () => {
    const { collector } = start()
    const response = await post(collector, `${event}7`)
    expect(response.headers.get('warning')).toBe('199 sluice "1 accepted, 1 rejected, kept on one machine alone"')
    expect(await outcomeOf(response)).toMatchObject({ accepted: 1, rejected: 1, durability: 'local' })
    expect(await outcomeOf(await post(collector, '5'))).not.toHaveProperty('durability')
  })

  test('is not what is remembered with a key: the events may be elsewhere when it is used again', async () => {
    const { collector, spool } = start()
    const headers = { 'idempotency-key': 'k' }
    expect(await outcomeOf(await post(collector, event, { headers }))).toHaveProperty('durability', 'local')
    spool.durability = 'full'
    expect(await outcomeOf(await post(collector, event, { headers }))).toEqual({ accepted: 1, rejected: 0, errors: [] })
  })

  test('ends with the next event after HDFS is back', async () => {
    const { collector, spool } = start()
    await post(collector, event)
    spool.durability = 'full'
    const response = await post(collector, event)
    expect(response.headers.has('warning')).toBe(false)
    expect(await outcomeOf(response)).toEqual({ accepted: 1, rejected: 0, errors: [] })
  })
})
