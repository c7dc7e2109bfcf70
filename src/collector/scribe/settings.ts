import { maxEventValues } from '../event-limits.ts'
import { defaultScribeLimits, type ScribeLimits } from './limits.ts'
import type { LogLimits } from './log-call.ts'

/** The settings of a server that its Scribe port has to do with, by their keys. */
export type SettingsOfScribe = {
  readonly 'collector.scribe.host': string
  readonly 'collector.scribe.port': number
  readonly 'collector.scribe.max-frame-bytes': number | undefined
  readonly 'server.drain-delay-seconds': number
}

/** Where it is, and what bounds it. */
export type ScribePlace = { readonly host: string; readonly port: number; readonly limits: Partial<ScribeLimits> }

export const toScribePlace = (settings: SettingsOfScribe): ScribePlace => ({
  host: settings['collector.scribe.host'],
  port: settings['collector.scribe.port'],
  limits: {
    maxFrameBytes: settings['collector.scribe.max-frame-bytes'] ?? defaultScribeLimits.maxFrameBytes,
    drainDelayMs: settings['server.drain-delay-seconds'] * 1_000,
  },
})

/** Those of a call among the settings of a server. */
export const toCallLimits = (settings: {
  readonly 'collector.max-events-per-request': number
  readonly 'collector.max-values-per-event': number | undefined
}): LogLimits => ({
  maxEvents: settings['collector.max-events-per-request'],
  maxValues: settings['collector.max-values-per-event'] ?? maxEventValues,
})
