import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take a minute or more, longest first. */
const longest = [
  'lost-machines',
  'takeovers',
  'kill-steps',
  'kill',
  'looks',
  'drain',
  'rolling-restart',
  'realtime-kafka',
  'backlog',
  'abuse-connections',
  'browser',
  'oracle-kerberos',
  'reader-bombs',
  'abuse-files',
  'upgrade',
  'oracle',
  'cli',
  'console',
  'gateway-clusters',
  'cli-terminal',
  'abuse-contract',
  'security-secrets',
  'readers',
].map(name => `/test/integration/${name}.test.ts`)

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
