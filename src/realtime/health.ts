import type { Counts } from './counts.ts'
import type { LaneFigures } from './type-lane.ts'

/** The sources of the realtime part of the health report. */
export type RealtimeState = {
  readonly types: readonly LaneFigures[]
  /** With the types that are no longer forwarded. */
  readonly total: Readonly<Counts>
  /** Of the broker, without secrets. */
  readonly url: string
  readonly isEnabled: boolean
  readonly isConnected: boolean
  /** Why there is no connection; empty while it is not known. */
  readonly problem: string
  readonly ignored: number
  /** Why the last refused event was refused by the broker; empty without one. */
  readonly lastRefusal: string
}

/** The report's item, and what is wrong alone; empty while nothing is. */
export type RealtimeHealth = {
  readonly code: 'OK' | 'WARN'
  readonly message: string
  readonly problem: string
  readonly isEnabled: boolean
}

/** The report's item, in the old server's wording; a broker that is unavailable costs no event yet and is WARN. */
export const toHealth = (state: RealtimeState): RealtimeHealth => {
  const { types, total, isEnabled, isConnected } = state
  const isRunning = isEnabled && isConnected
  const notes = [
    isEnabled ? '' : 'forwarding is disabled',
    isEnabled && !isConnected ? `${state.url} is unavailable${state.problem && `: ${state.problem}`}` : '',
    state.lastRefusal && `last refusal: ${state.lastRefusal}`,
  ].filter(note => note !== '')
  // The cause first: on a small screen the rest is not seen.
  const message = [
    ...notes,
    'enabled: true',
    `running: ${isRunning}`,
    `types: [${types.map(({ type }) => type).join(', ')}]`,
    `queue sizes: {${types.map(({ type, queueSize }) => `${type}: ${queueSize}`).join(', ')}}`,
    `enqueued: ${total.enqueued}`,
    `sent: ${total.sent}`,
    `dropped: ${total.dropped}`,
    `errored: ${total.errored}`,
    `ignored: ${state.ignored}`,
  ]
  const code = isRunning ? 'OK' : 'WARN'
  return { code, message: message.join(', '), problem: notes.join(', '), isEnabled }
}
