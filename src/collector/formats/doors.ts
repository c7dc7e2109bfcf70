import { otlp } from '../doors/otlp.ts'
import { posthog } from '../doors/posthog.ts'
import { segment } from '../doors/segment.ts'
import { snowplow, snowplowPixel } from '../doors/snowplow.ts'
import type { IntakeFormat } from './intake-format.ts'

/** Formats of doors with routes of their own, by the operation of the contract. */
export const doorFormats = {
  postOtlpLogs: otlp,
  postSegment: segment,
  postSnowplow: snowplow,
  getSnowplow: snowplowPixel,
  postPostHogBatch: posthog,
  postPostHogCapture: posthog,
  postPostHogE: posthog,
  postPostHogEvent: posthog,
} as const satisfies Readonly<Record<string, IntakeFormat>>

/** Whether the bodies of an operation may say whose events they have. */
export const hasKeyInBody = (operationId: string): boolean =>
  Object.entries(doorFormats).some(([id, format]) => id === operationId && format.hasKeyInBody === true)
