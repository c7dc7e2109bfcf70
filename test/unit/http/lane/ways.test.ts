import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../fuzz/random.ts'
import { groups } from './collector-rows.ts'
import { askDirectly, type Outcome, openSocketWay, type Way, withoutHops } from './ways.ts'

let lane: Way
let plain: Way
beforeAll(async () => {
  lane = await openSocketWay('lane')
  plain = await openSocketWay('plain')
})
afterAll(() => Promise.all([lane.close(), plain.close()]))

describe.each(Object.entries(groups))('the collector, %s', (_, rows) => {
  test.each(rows)('$name: the same on the lane, through node:http alone, and without a socket', async row => {
    const onLane = await lane.ask(row)
    expect(toStatuses(onLane)).toEqual(row.statuses)
    const alone = await plain.ask(row)
    if (row.plain === undefined) expect(alone).toEqual(onLane)
    else expect({ ...alone, answers: [] }).toEqual({ ...onLane, answers: [] })
    expect(toStatuses(alone)).toEqual(row.plain ?? row.statuses)
    const direct = await askDirectly(row)
    if (direct) expect(direct).toEqual(withoutHops(onLane))
  })

  test.each(rows)('$name: the same in pieces', async row => {
    const whole = await lane.ask(row)
    const { length } = row.sent.join('')
    const random = createRandom(length)
    const cuts = Array.from({ length: 5 }, () => random.below(length)).toSorted((a, b) => a - b)
    const inPieces = await lane.ask(row, cuts)
    if (row.plain === undefined) expect(inPieces).toEqual(whole)
    else expect({ ...inPieces, answers: [] }).toEqual({ ...whole, answers: [] })
  })
})

const toStatuses = ({ answers }: Outcome): number[] => answers.map(({ status }) => status)
