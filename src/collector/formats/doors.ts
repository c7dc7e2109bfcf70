import type { Call } from '../../http/call/call.ts'
import { firehose } from '../doors/firehose.ts'
import { otlp } from '../doors/otlp.ts'
import { posthog } from '../doors/posthog.ts'
import { answerRefusal } from '../doors/refusals.ts'
import { segment } from '../doors/segment.ts'
import { snowplow, snowplowPixel } from '../doors/snowplow.ts'
import type { IntakeFormat } from './intake-format.ts'

/** Formats of doors with routes of their own, by the operation of the contract. */
export const doorFormats = {
  postOtlpLogs: otlp,
  postSegment: segment,
  postRudderStackBeacon: segment,
  postSnowplow: snowplow,
  getSnowplow: snowplowPixel,
  postPostHogBatch: posthog,
  postPostHogCapture: posthog,
  postPostHogE: posthog,
  postPostHogEvent: posthog,
  postFirehose: firehose,
} as const satisfies Readonly<Record<string, IntakeFormat>>

/** As `keys` of an `IntakeFormat`, of the bodies of an operation. */
export const keysOf = (operationId: string): readonly string[] => formatOf(operationId)?.keys ?? []

/** As `headers` and `cookies` of an `IntakeFormat`. */
export const headersOf = (operationId: string): readonly string[] => formatOf(operationId)?.headers ?? []
export const cookiesOf = (operationId: string): readonly string[] => formatOf(operationId)?.cookies ?? []

/** The answer to what was thrown for a request of an operation, as its senders understand it; undefined leaves it. */
export const toDoorRefusal = (
  operationId: string,
  error: unknown,
  call: Pick<Call, 'header'>,
): Response | undefined => {
  const refusals = formatOf(operationId)?.refusals
  return refusals && answerRefusal(error, refusals, call)
}

const formatOf = (operationId: string): IntakeFormat | undefined => formats.get(operationId)

const formats: ReadonlyMap<string, IntakeFormat> = new Map(Object.entries(doorFormats))
