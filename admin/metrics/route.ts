import { answerInTurns } from '../answer.ts'
import type { AdminCall } from '../routes.ts'
import type { MetricFamily } from './metric.ts'
import { metricsType, writeMetrics } from './text.ts'

/** Answers `GET /metrics` with all families as text, read again for each scrape. @throws Error for a name twice */
export const createMetricsRoute = (families: readonly MetricFamily[]) => {
  const names = new Set<string>()
  for (const { name } of families) {
    if (names.has(name)) throw new Error(`There are two metrics of the name ${name}`)
    names.add(name)
  }
  return ({ turns }: AdminCall): Promise<Response> =>
    answerInTurns(writeMetrics(families), turns, { 'content-type': metricsType })
}
