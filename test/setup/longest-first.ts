import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take the better part of a minute or more, the longest of them first; those that keep servers under load are apart. */
const longest = [
  'integration/takeovers',
  'integration/looks',
  'integration/hdfs-outage',
  'integration/drain',
  'integration/abuse-connections',
  'integration/hdfs-ha',
  'integration/rolling-restart',
  'integration/hdfs-native-secure',
  'integration/realtime-kafka',
  'integration/lost-machines',
  'integration/secure-native',
  'integration/cli-terminal',
  'integration/kill',
  'integration/browser',
  'integration/cli',
  'integration/oracle',
  'integration/hdfs-outage-spool',
  'integration/edge-threads',
  'integration/kill-steps',
  'integration/backlog',
  'integration/gateway-clusters',
  'integration/console',
  'integration/reader-bombs',
  'integration/abuse-files',
  'integration/power-cut',
  'integration/hdfs-broken-pipelines',
  'integration/oracle-kerberos',
  'integration/upgrade',
  'integration/rest-catalog',
  'integration/abuse-contract',
  'integration/security-secrets',
  'integration/readers',
  'interop/readers/parquet',
  'interop/tables/faults/faults',
  'interop/generators',
  'interop/senders/retries',
  'interop/schemathesis',
  'interop/hdfs/steps',
  'interop/tables/repeats/repeats',
  'interop/tables/tables',
  'interop/webhdfs/python',
  'interop/readers/hadoop',
  'interop/webhdfs/tokens',
  'interop/webhdfs/shell',
  'interop/hdfs/three-data-nodes',
  'interop/senders/browsers',
  'interop/tables/compact-files',
  'interop/tables/rest-catalog',
  'interop/hdfs/readers',
  'interop/files/files',
  'interop/iceberg/catalog',
  'interop/s3/page',
  'interop/runtimes',
  'packaging/fresh-clone',
  'docs/site',
  'docs/pages',
  'packaging/debian',
  'packaging/packages',
  'packaging/container',
].map(name => `/test/${name}.test.ts`)

/** One of these that began last would be waited for alone, with the other cores idle. The rest come as Vitest sorts them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex(path => moduleId.endsWith(path))
      return index === -1 ? longest.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
