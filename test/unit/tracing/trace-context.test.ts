import { expect, test } from 'vitest'
import { parseTraceparent } from '../../../src/tracing/trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

test.each([
  [`00-${traceId}-${parentId}-01`, '01'],
  [`00-${traceId}-${parentId}-00`, '00'],
  // A later version, which may have more.
  [`01-${traceId}-${parentId}-01-more`, '01'],
])('%s is one', (header, flags) => {
  expect(parseTraceparent(header)).toEqual({ traceId, parentId, flags })
})

test.each([
  undefined,
  '',
  `ff-${traceId}-${parentId}-01`,
  `00-${traceId}-${parentId}-01-more`,
  `00-${traceId}-${parentId}-01.more`,
  `00-${traceId.toUpperCase()}-${parentId}-01`,
  `00-${'0'.repeat(32)}-${parentId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId}-${parentId}-1`,
  `00-${traceId.slice(1)}-${parentId}-01`,
  `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
])('%s is none', header => {
  expect(parseTraceparent(header)).toBeUndefined()
})
