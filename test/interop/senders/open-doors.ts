import { onTestFinished } from 'vitest'
import { doorNames } from '../../../src/collector/doors/door-names.ts'
import { toDoorRefusal } from '../../../src/collector/formats/doors.ts'
import { type ErrorCode, SluiceError } from '../../../src/errors.ts'
import { createEdge } from '../../../src/http/edge/node.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { createTestCollector, type FakeSpool } from '../../unit/collector/fakes.ts'
import { createTestApp } from '../../unit/contract/fixture.ts'

/** A collector on a port whose doors are all open, and what it was sent. */
export type OpenDoors = {
  readonly url: string
  readonly spool: FakeSpool
  /** Status of each answer, in their order. */
  readonly answers: readonly number[]
  /** Refuses the next requests. @param code `overloaded` unless given */
  readonly refuse: (times: number, code?: ErrorCode) => void
}

/** Opens one until the test has ended. */
export const openDoors = async (): Promise<OpenDoors> => {
  const { collector, spool } = createTestCollector({ doors: new Set(doorNames) })
  const { handlers, doorHandlers } = collector
  const { getEventV1, getEventV2, postEvent } = handlers
  const app = createTestApp({
    handlers: { getEventV1, getEventV2, postEvent, ...doorHandlers },
    guard: id => ({
      onRefusal: collector.refuse,
      answerError: (error, call) => toDoorRefusal(id, error, call),
    }),
  })
  const answers: number[] = []
  const edge = await createEdge({
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    fetch: async (request, env) => {
      const response = await app.fetch(request, env as object)
      answers.push(response.status)
      return response
    },
    logger: silentLogger,
    limits: { idleGraceMs: 10 },
  })
  onTestFinished(() => edge.close())
  const append = spool.append.bind(spool)
  let refusals = 0
  let refusal: ErrorCode = 'overloaded'
  return {
    url: `http://127.0.0.1:${edge.port}`,
    spool: Object.assign(spool, {
      append: (batch: Parameters<FakeSpool['append']>[0]) => {
        if (refusals-- > 0) throw new SluiceError(refusal, 'Try later')
        return append(batch)
      },
    }),
    answers,
    refuse: (times, code = 'overloaded') => {
      refusals = times
      refusal = code
    },
  }
}
