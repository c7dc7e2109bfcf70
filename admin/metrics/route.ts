import type { Access } from '../access.ts'
import type { AdminCall } from '../call.ts'
import type { Metrics } from './render.ts'

/** Answers `GET /metrics`; needs the role `view` where tokens are needed. */
export const createMetricsRoute =
  ({ metrics, access }: { readonly metrics: Metrics; readonly access: Access }) =>
  async (call: AdminCall): Promise<Response> => {
    access.checkView(call.caller)
    return new Response(await metrics.text(), {
      headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
    })
  }
