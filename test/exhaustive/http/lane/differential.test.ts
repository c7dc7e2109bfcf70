import { describe, expect, onTestFinished, test } from 'vitest'
import { createLane } from '../../../../src/http/lane/lane.ts'
import { createRandom } from '../../../fuzz/random.ts'
import { everyByte, toConnection } from '../../../suites/http-lane/cuts.ts'
import {
  type Connection,
  createDifferential,
  type Lane,
  type LaneParts,
} from '../../../suites/http-lane/differential.ts'
import { createConnection } from '../../../suites/http-lane/grammar.ts'
import { laneOptions } from '../../../suites/http-lane/lane-options.ts'
import { smuggling } from '../../../suites/http-lane/smuggling.ts'
import { createToyLane, mistakes } from '../../../suites/http-lane/toy-lane.ts'

const toBytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** The first connection on which a lane and `node:http` differ, and how; undefined without a difference. */
const findDifference = async (
  create: (parts: LaneParts) => Lane,
  connections: Iterable<Connection>,
): Promise<string | undefined> => {
  const differential = createDifferential(create)
  onTestFinished(() => differential.close())
  for (const connection of connections) {
    try {
      await differential.run(connection)
    } catch (error) {
      const { bytes, ...rest } = connection
      return `${JSON.stringify(rest)} ${JSON.stringify(Buffer.from(bytes).toString('latin1'))}: ${String(error)}`
    }
  }
  return undefined
}

function* inEveryWay(texts: readonly string[]): Generator<Connection> {
  for (const text of texts) {
    const bytes = toBytes(text)
    // Bit by bit takes a turn of the event loop for each byte.
    for (const cuts of bytes.length > 300 ? [[]] : [[], everyByte(bytes.length)]) {
      yield { bytes, cuts, end: 'half-close' }
      yield { bytes, cuts, end: 'reset', answerTurns: 2 }
    }
    yield { bytes, cuts: [], end: 'half-close', answerTurns: 2, isSlow: true }
  }
}

/** In two pieces, whichever they may be: the short ones, and of them one of some. `npm run fuzz` cuts the others. */
function* cutEverywhere(texts: readonly string[]): Generator<Connection> {
  const short = texts.filter(({ length }) => length < 160)
  for (const [index, text] of short.entries()) {
    if (index % 8 !== 0) continue
    const bytes = toBytes(text)
    for (let cut = 1; cut < bytes.length; cut += 1)
      yield { bytes, cuts: [cut], end: 'half-close', answerTurns: cut % 2 }
  }
}

function* byChance(seed: number, count: number): Generator<Connection> {
  const random = createRandom(seed)
  for (let left = count; left > 0; left -= 1) yield toConnection(toBytes(createConnection(random)))
}

describe('the lane in front of node:http sees and answers what node:http alone does', () => {
  const createOwn = (parts: LaneParts): Lane => createLane({ ...laneOptions, ...parts })

  test('of what servers are known to read in different ways, whole and bit by bit', async () => {
    expect(await findDifference(createOwn, inEveryWay(smuggling))).toBeUndefined()
  })

  test('of the same, cut at every place', async () => {
    expect(await findDifference(createOwn, cutEverywhere(smuggling))).toBeUndefined()
  })

  test('of requests behind one another with mistakes in some', async () => {
    expect(await findDifference(createOwn, byChance(1, 3_000))).toBeUndefined()
  })
})

test.each(mistakes)('a lane that %s is found out', async mistake => {
  expect(await findDifference(createToyLane(mistake), inEveryWay(smuggling))).toBeDefined()
})
