import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { HealthFigure } from '../catalog/server.ts'
import { family, type MetricFamily } from './metric.ts'

const severity: Readonly<Record<string, number>> = { OK: 0, WARN: 1, ERROR: 2 }

/**
 * The health report as figures, and when certificates end.
 * @param certificates paths of PEM files by the listener whose they are
 */
export const healthMetrics = (
  health: () => readonly HealthFigure[],
  certificates: Readonly<Record<string, string | undefined>>,
): readonly MetricFamily[] => [
  family('gauge', 'sluice_health', 'Items of the health report: 0 is OK, 1 WARN, 2 ERROR.', () =>
    health().map(({ type, code }) => ({ labels: { item: type }, value: severity[code] ?? Number.NaN })),
  ),
  family(
    'gauge',
    'sluice_certificate_expiry_seconds',
    'When the certificate of a listener ends, since the epoch; NaN where its file cannot be read.',
    () =>
      Object.entries(certificates).flatMap(([listener, path]) =>
        path === undefined ? [] : [{ labels: { listener }, value: expiryOf(path) }],
      ),
  ),
]

/** The file is small, and read with each scrape: a renewed one shows at once. */
const expiryOf = (path: string): number => {
  try {
    return Date.parse(new X509Certificate(readFileSync(path)).validTo) / 1_000
  } catch {
    return Number.NaN
  }
}
