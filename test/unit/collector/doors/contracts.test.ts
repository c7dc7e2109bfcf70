import { describe, expect, test } from 'vitest'
import { createValidator } from '../../../../src/collector/validation/validator.ts'
import { compileContract } from '../../../../src/event-contracts/compile-contract.ts'
import { isRefusedName } from '../../../../src/spool/refused.ts'
import { createTestCollector, knock, refusedEvents, storedEvents } from '../fakes.ts'

const schema = `{
  "required": ["type", "sentAt"],
  "properties": {"id": {"maximum": 9223372036854775807}, "sentAt": {"maximum": 9223372036854775807}, "writeKey": false}
}`
const contract = compileContract({ type: 'page', file: 'page.json', texts: new Map([['page.json', schema]]) })
const contracts = new Map([['page', contract]])

/** Positions of events that do not fit. */
const mismatchesOf = async (path: string, body: string): Promise<number[]> => {
  const validate = createValidator({ lookup: () => undefined, contracts: () => contracts, mode: () => 'set-aside' })
  const { collector, spool } = createTestCollector({ doors: new Set(['segment'] as const) }, { validate })
  expect((await knock(collector, 'postSegment', path, body)).status).toBe(200)
  return [...storedEvents(spool), ...refusedEvents(spool)]
    .filter(({ name }) => isRefusedName(name))
    .map(({ payload }) => Number(Object(payload)['position']))
}

/** Bodies of more than this are read in turns. */
const lengths = [
  ['short', ''],
  ['long', ' '.repeat(300_000)],
] as const

describe.each(lengths)('events of doors in a %s body are compared as they are stored', (_, space) => {
  test('integers beyond 2^53 as they were sent', async () => {
    const [good, bad] = ['9223372036854775807', '9223372036854775808'].map(
      id => `{"type":"page","sentAt":1,"id":${id}}`,
    )
    expect(await mismatchesOf('/v1/batch', `{"batch":[${good},${bad},${good}]}${space}`)).toEqual([1])
  })

  test('with the values beside them, as sent', async () => {
    const batch = `"batch":[{"type":"page"},{"type":"page","sentAt":9223372036854775808}]`
    expect(await mismatchesOf('/v1/batch', `{${batch}}${space}`)).toEqual([0, 1])
    expect(await mismatchesOf('/v1/batch', `{${batch},"sentAt":9223372036854775807}${space}`)).toEqual([1])
    expect(await mismatchesOf('/v1/batch', `{${batch},"sentAt":9223372036854775808}${space}`)).toEqual([0, 1])
  })

  test('with what their path says, and without their keys', async () => {
    expect(await mismatchesOf('/v1/page', `{"writeKey":"secret","sentAt":1}${space}`)).toEqual([])
    expect(await mismatchesOf('/v1/page', `{"writeKey":"secret"}${space}`)).toEqual([0])
  })
})
