import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take the better part of a minute or more, longest first. */
const longest = [
  'integration/takeovers',
  'interop/readers/parquet',
  'integration/drain',
  'integration/rolling-restart',
  'interop/tables/tables',
  'interop/readers/hadoop',
  'interop/tables/faults/faults',
  'interop/hdfs/kills',
  'interop/generators',
  'packaging/fresh-clone',
  'docs/site',
  'docs/pages',
  'packaging/debian',
  'packaging/packages',
  'packaging/container',
  'integration/looks',
  'integration/kill',
  'integration/abuse-connections',
  'integration/lost-machines',
  'integration/hdfs-outage',
  'interop/tables/lost-machines',
  'interop/hdfs/steps',
  'integration/oracle',
  'integration/hdfs-ha',
  'integration/kill-steps',
  'integration/power-cut',
  'integration/hdfs-native-secure',
  'interop/tables/compact-files',
  'interop/tables/repeats/repeats',
  'interop/tables/rest-catalog',
  'interop/iceberg/catalog',
  'integration/lost-machines-kerberos',
  'integration/lost-machines-objects',
  'integration/oracle-kerberos',
  'integration/hdfs-outage-spool',
  'integration/realtime-kafka',
  'integration/backlog',
  'integration/secure-native',
  'interop/senders/retries',
  'interop/senders/browsers',
  'interop/schemathesis',
  'interop/hdfs/readers',
  'integration/browser',
  'integration/cli-terminal',
  'integration/cli',
  'integration/edge-threads',
  'integration/reader-bombs',
  'integration/abuse-files',
  'integration/upgrade',
  'integration/console',
  'integration/gateway-clusters',
  'integration/hdfs-broken-pipelines',
  'integration/rest-catalog',
  'integration/abuse-contract',
  'integration/security-secrets',
  'integration/readers',
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
