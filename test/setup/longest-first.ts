import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take the better part of a minute or more, longest first. */
const longest = [
  'integration/kill-steps',
  'integration/takeovers',
  'interop/tables/faults/faults',
  'integration/kill',
  'integration/drain',
  'interop/hdfs/steps',
  'interop/senders/retries',
  'integration/rolling-restart',
  'integration/lost-machines',
  'packaging/fresh-clone',
  'docs/site',
  'docs/pages',
  'integration/looks',
  'packaging/debian',
  'packaging/packages',
  'packaging/container',
  'integration/realtime-kafka',
  'integration/backlog',
  'integration/abuse-connections',
  'integration/browser',
  'integration/oracle-kerberos',
  'interop/hdfs/kills',
  'interop/generators',
  'interop/tables/lost-machines',
  'interop/schemathesis',
  'integration/reader-bombs',
  'integration/abuse-files',
  'integration/upgrade',
  'integration/oracle',
  'integration/cli',
  'integration/console',
  'interop/senders/browsers',
  'integration/gateway-clusters',
  'integration/cli-terminal',
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
