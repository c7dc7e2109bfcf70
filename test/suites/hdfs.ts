import { describe, inject, test } from 'vitest'
import type {} from '../setup/hdfs.ts'

/** Where the shared HDFS of this test run is. Its files are everybody's: work below a directory of your own. */
export type HdfsUrls = { readonly namenodeUrl: string; readonly webhdfsUrl: string }

/** Whether `SLUICE_REQUIRE` (a comma list) turns a skip of `what` into a failure. */
export const isRequired = (what: string): boolean =>
  (process.env['SLUICE_REQUIRE'] ?? '').split(',').some(name => name.trim() === what)

/** A real cluster, broker or browser on a busy machine may be late once; what is wrong fails again. */
export const realParts = { retry: 1 } as const

/**
 * A `describe` that runs against the shared HDFS. Without one it is skipped and says why, or fails when
 * `SLUICE_REQUIRE` names `hdfs`.
 */
export const describeHdfs = (name: string, body: (hdfs: HdfsUrls) => void): void => {
  const hdfs = inject('hdfs')
  if (!('skipped' in hdfs)) return void describe(name, realParts, () => body(hdfs))
  const reason = `${name}: no HDFS, ${hdfs.skipped}`
  if (isRequired('hdfs')) {
    test(reason, () => {
      throw new Error(`SLUICE_REQUIRE has "hdfs", but ${hdfs.skipped}`)
    })
  } else {
    console.warn(`skipped ${reason}`)
    describe.skip(reason, () => test('needs HDFS', () => {}))
  }
}
