import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { toQuantiles } from '../../src/figures/quantile.ts'
import type { GatewayFigures } from '../../src/gateway/figures.ts'

/** What the gateway did since the start. */
export const gatewayBean = (vendor: string, figures: GatewayFigures): Bean => {
  const sum = (includes: (code: number) => boolean): number =>
    figures.requests().reduce((total, { code, count }) => total + (includes(code) ? count : 0), 0)
  return defineBean({
    name: `${vendor}.metrics.gateway:name=Gateway`,
    description: 'Reads, writes and listings of files over HTTP.',
    attributes: {
      Requests: attribute('long', 'Requests answered.', () => sum(() => true)),
      ClientErrors: attribute('long', 'Of them with a 4xx.', () => sum(code => code >= 400 && code < 500)),
      ServerErrors: attribute('long', 'Of them with a 5xx.', () => sum(code => code >= 500)),
      RequestsByOperation: attribute('map', 'Requests by operation.', () => {
        const byOperation = new Map<string, number>()
        for (const { op, count } of figures.requests()) byOperation.set(op, (byOperation.get(op) ?? 0) + count)
        return byOperation
      }),
      ReadsNow: attribute('long', 'Reads of files and directories in progress.', () => figures.reads.now),
      ReadsRefused: attribute('long', 'Reads refused because too many were in progress.', () => figures.reads.refused),
      Readers: attribute('long', 'Processes that read files; none before the first read.', () => figures.readers.now),
      ReadersEnded: attribute(
        'long',
        'Such processes that a file or somebody else ended.',
        () => figures.readers.ended,
      ),
      BytesOut: attribute('long', 'Bytes of files to clients.', () => figures.bytes.out),
      BytesIn: attribute('long', 'Bytes of files from clients.', () => figures.bytes.in),
      UpstreamCalls: attribute('long', 'Calls to file systems.', () => figures.upstream.count),
      UpstreamMillisTP99: attribute(
        'double',
        '99 % of the newest calls to file systems took at most this.',
        () => toQuantiles(figures.upstream.newest, [0.99])[0],
      ),
    },
  })
}
