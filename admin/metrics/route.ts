import type { Metrics } from './render.ts'

/** Answers `GET /metrics`. */
export const createMetricsRoute = (metrics: Metrics) => async (): Promise<Response> =>
  new Response(await metrics.text(), {
    headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
  })
