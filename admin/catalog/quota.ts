import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import type { SlowedSender } from '../../src/collector/quota/slowed-senders.ts'

/** What the bean of quotas looks at. */
export type QuotaView = {
  readonly slowed: () => readonly SlowedSender[]
  readonly forgotten: () => number
}

/** Senders over the quota (`collector.quota.*`). */
export const quotaBean = (vendor: string, { slowed, forgotten }: QuotaView): Bean =>
  defineBean({
    name: `${vendor}.metrics.collector:name=Quota`,
    description:
      'Senders over their quota (collector.quota.*), by the name of their token or by their address. ThrottledEvents of WriterQueueStats counts what was refused.',
    attributes: {
      SlowedSenders: attribute(
        'list',
        'Senders of which requests were refused in the last hour, at most 100, those with most requests first: by (token or address), name, requests, since and last (ms since the epoch).',
        slowed,
      ),
      Forgotten: attribute(
        'long',
        'Senders whose quota was reset since the start, because more than 262,144 senders had used some of theirs at one time.',
        forgotten,
      ),
    },
  })
