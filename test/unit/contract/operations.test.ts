import { expectTypeOf, test } from 'vitest'
import type { Handlers, Params } from '../../../src/contract/operations.ts'
import { createHandlers } from './fixture.ts'

// Judged by the compiler, not at run time: `tsc` fails where one of these does not hold.
test('Params has what the contract declares, and a value for every default', () => {
  expectTypeOf<Params<'getEventV1'>['v']>().toEqualTypeOf<string>()
  expectTypeOf<Params<'getEventV1'>['gr']>().toEqualTypeOf<
    'MINUTE' | 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  >()
  expectTypeOf<Pick<Params<'postEvent'>, 'Idempotency-Key'>>().toEqualTypeOf<{ readonly 'Idempotency-Key'?: string }>()
  expectTypeOf<Params<'browse'>['path']>().toEqualTypeOf<string>()
  expectTypeOf<Pick<Params<'browse'>, 'raw'>>().toEqualTypeOf<{ readonly raw?: boolean }>()
  expectTypeOf<Params<'uploadFile'>['replication']>().toEqualTypeOf<number>()
  expectTypeOf<Params<'getLiveness'>>().toEqualTypeOf<Readonly<Record<string, never>>>()
})

test('Handlers wants one handler for each operation, no fewer and no more', () => {
  const { getEventV1, ...rest } = createHandlers()
  // @ts-expect-error: a handler is missing
  const fewer: Handlers = rest
  // @ts-expect-error: there is no such operation
  const more: Handlers = { ...rest, getEventV1, fly: getEventV1 }
  expectTypeOf(fewer).toEqualTypeOf(more)
})
