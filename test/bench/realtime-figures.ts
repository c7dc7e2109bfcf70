import { type Figure, type FigureFacts, type Measured, minRoundsOfP99 } from './figure.ts'
import { openBrokerAway, openBrokerSlow } from './trials/brokers.ts'
import { requestsPerSecond } from './trials/disturbed.ts'

const facts: Omit<FigureFacts, 'what'> = {
  id: 'R17',
  baselineIs: 'no broker',
  unit: 'ms p99',
  value: ({ p99Ms }: Measured) => p99Ms,
  note: ({ rate }: Measured) => `${(rate / 1_000).toFixed(1)} K/s`,
  ratio: (sluice: Measured, baseline: Measured) => sluice.p99Ms / baseline.p99Ms,
  goal: '≤ 1.1 ×',
  isMet: ({ ratio }) => ratio <= 1.1,
  minRounds: minRoundsOfP99,
}

/** What a broker does to the intake. */
export const realtimeFigures: readonly Figure[] = [
  {
    ...facts,
    what: `events at ${requestsPerSecond}/s, all for a broker that is unavailable`,
    open: openBrokerAway,
  },
  {
    ...facts,
    isDetail: true,
    what: `events at ${requestsPerSecond}/s, all for a broker that acknowledges nothing`,
    open: openBrokerSlow,
  },
]
