import { Gauge, Registry } from '@prometheus-io/client'
import type { MetricFamily } from './metric.ts'

/**
 * Answers `GET /metrics` with all families as text, asked anew for each scrape. They are registered with the Prometheus
 * project's client, which writes them. @throws Error for a name twice
 */
export const createMetricsRoute = (families: readonly MetricFamily[]) => {
  const registry = new Registry()
  for (const family of families) registry.registerMetric(new FamilyView(family))
  return async (): Promise<Response> =>
    new Response(await registry.metrics(), {
      headers: { 'content-type': registry.contentType, 'cache-control': 'no-store' },
    })
}

/** A metric of the client whose values are read where they are counted, when it is asked; nothing is counted twice. */
class FamilyView extends Gauge<string> {
  readonly #family: MetricFamily

  constructor(family: MetricFamily) {
    super({ name: family.name, help: family.help, registers: [] })
    this.#family = family
  }

  override async get(): ReturnType<Gauge<string>['get']> {
    const { name, help, type } = this.#family
    const values = Array.from(this.#family.samples(), ({ labels = {}, value, suffix = '' }) => ({
      value,
      labels,
      metricName: `${name}${suffix}`,
    }))
    return { name, help, type, values, aggregator: 'sum', collect: () => {} }
  }
}
