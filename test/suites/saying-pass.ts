/** Passes of compaction that only say something, for what is shown of them. */
import type { PassNews } from '../../src/compaction/hourly/news.ts'
import type { StartPassProcess } from '../../src/compaction/hourly/run-pass.ts'

/** A server with these has tables, */
export const tableSettings = ['collector.output.format=parquet', 'collector.output.table=iceberg'] as const
/** and with this one, too, a pass begins at once. */
export const hourly = 'collector.compaction.mode=hourly'

const hour = Date.UTC(2026, 0, 2, 1) / 3_600_000
const merged = { kind: 'merged', repeats: 0, filesAfter: 1, bytesBefore: 9_000_000, bytesAfter: 6_500_000 } as const

/** Two hours merged, rows removed, one table that fails, and one hour that waits. */
export const sayAll: readonly PassNews[] = [
  { kind: 'begins', table: '/events/Order' },
  { ...merged, table: '/events/Order', hour: hour - 1, filesBefore: 120, rows: 42_000, repeats: 1_250 },
  { ...merged, table: '/events/Click', hour, filesBefore: 60, rows: 18_000 },
  { kind: 'waits', table: '/events/Order', hours: 1 },
  {
    kind: 'removed',
    table: '/events/Click',
    days: 30,
    from: hour - 723,
    to: hour - 720,
    hours: 3,
    files: 3,
    rows: 600,
    bytes: 70_000,
    snapshotId: 7n,
  },
  { kind: 'failed', table: '/events/Damaged', hour: hour - 2, reason: 'expected a Parquet file, found 12 bytes' },
  { kind: 'ended', table: '/events/Order' },
  { kind: 'done' },
]

/** @param endsBy resolves when it ends; @default at once */
export const startSayingPass =
  (all: readonly PassNews[], endsBy: Promise<unknown> = Promise.resolve()): StartPassProcess =>
  (_scope, onNews) => {
    const ended = endsBy.then(() => {
      for (const news of all) onNews(news)
      return 'ended with code 0'
    })
    return { ended, kill: () => {} }
  }
