import { Gauge, Registry } from '@prometheus-io/client'
import type { MetricFamily } from './metric.ts'

/** All families as text for Prometheus, asked anew for each scrape. */
export type Metrics = {
  readonly contentType: string
  text(): Promise<string>
}

/** Registers the families with the Prometheus project's client, which writes them. @throws Error for a name twice */
export const createMetrics = (families: readonly MetricFamily[]): Metrics => {
  const registry = new Registry()
  for (const family of families) registry.registerMetric(new FamilyView(family))
  return {
    get contentType() {
      return registry.contentType
    },
    text: () => registry.metrics(),
  }
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
