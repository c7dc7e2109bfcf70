import type { LaneFigures } from './lane.ts'

/** What the realtime part of the health report is made of. */
export type RealtimeState = {
  readonly types: readonly LaneFigures[]
  /** Of the broker, without secrets. */
  readonly url: string
  readonly isEnabled: boolean
  readonly isConnected: boolean
  /** Why there is no connection; empty while it is not known. */
  readonly problem: string
  readonly ignored: number
  /** Why the last event that the broker did not want was refused; empty when there is none. */
  readonly lastRefusal: string
}

/** The report's item, in the old server's wording; a broker that is unavailable costs no event yet and is WARN. */
export const toHealth = (state: RealtimeState): { readonly code: 'OK' | 'WARN'; readonly message: string } => {
  const { types, isEnabled, isConnected } = state
  const sum = (key: 'enqueued' | 'sent' | 'dropped' | 'errored'): number =>
    types.reduce((total, figures) => total + figures[key], 0)
  const isRunning = isEnabled && isConnected
  const notes = [
    isEnabled ? '' : 'forwarding is disabled',
    isEnabled && !isConnected ? `${state.url} is unavailable${state.problem && `: ${state.problem}`}` : '',
    state.lastRefusal && `last refusal: ${state.lastRefusal}`,
  ].filter(note => note !== '')
  const message = [
    'enabled: true',
    `running: ${isRunning}`,
    `types: [${types.map(({ type }) => type).join(', ')}]`,
    `queue sizes: {${types.map(({ type, queueSize }) => `${type}: ${queueSize}`).join(', ')}}`,
    `enqueued: ${sum('enqueued')}`,
    `sent: ${sum('sent')}`,
    `dropped: ${sum('dropped')}`,
    `errored: ${sum('errored')}`,
    `ignored: ${state.ignored}`,
    ...notes,
  ]
  return { code: isRunning ? 'OK' : 'WARN', message: message.join(', ') }
}
