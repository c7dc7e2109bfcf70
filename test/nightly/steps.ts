import { missingForRealm, missingForStage } from '../oracle/stage.ts'

/** One long run. */
export type Step = {
  readonly name: string
  /** What it shows. */
  readonly shows: string
  /** A command of the system, or one of `node_modules/.bin`. */
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What this machine lacks for it, as a sentence; undefined when nothing. @default it needs nothing */
  readonly missing?: () => Promise<string | undefined>
  /** Finds the line of its output that says how it went; the last one counts. */
  readonly verdict: RegExp
}

const vitest = /(?<=^ *Tests +)\S.*$/gm

const tests = (
  name: string,
  shows: string,
  file: string,
  env: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Step => ({ name, shows, command: ['vitest', 'run', file, ...more], env, verdict: vitest })

/** What takes longer than a test run may: the same promises, many more cases. In the order in which they run. */
export const steps: readonly Step[] = [
  tests(
    'kills-local',
    '1,000 `kill -9` on the local file system',
    'test/integration/kill.test.ts',
    {
      SLUICE_TEST_KILLS: '1000',
    },
    '-t',
    'local',
  ),
  tests(
    'kills-hdfs',
    '200 `kill -9` on HDFS',
    'test/integration/kill.test.ts',
    { SLUICE_TEST_KILLS: '200' },
    '-t',
    'HDFS',
  ),
  tests(
    'kills-edge',
    '200 ends of edge threads under load',
    'test/integration/edge-threads.test.ts',
    { SLUICE_TEST_EDGE_KILLS: '200' },
    '-t',
    'R21',
  ),
  tests(
    'kills-replay',
    '200 `kill -9` in the middle of replays of refused events',
    'test/integration/replay-kills.test.ts',
    { SLUICE_TEST_REPLAY_KILLS: '200' },
  ),
  tests(
    'kill-steps',
    '`kill -9` in each operation of the disk and of the file system',
    'test/integration/kill-steps.test.ts',
    { SLUICE_TEST_ALL_CASES: '1' },
  ),
  tests(
    'kills-in-memory',
    '`kill -9` at each call of a takeover and of a commit to a table, in memory',
    'test/unit/spool/takeover/adopt-log.test.ts',
    { SLUICE_TEST_ALL_CASES: '1' },
    'test/unit/spool/tables/commit-tables.test.ts',
  ),
  tests(
    'lost-machines',
    '500 machines lost with their disks, a DataNode with each, of three collectors before three DataNodes',
    'test/integration/lost-machines.test.ts',
    { SLUICE_TEST_LOST_MACHINES: '500' },
  ),
  tests(
    'lost-places',
    'a machine lost of each of three collectors, before a cluster with Kerberos; three before an object store',
    'test/integration/lost-machines-kerberos.nightly.test.ts',
    { SLUICE_TEST_LOST_MACHINES: '3' },
    'test/integration/lost-machines-objects.nightly.test.ts',
  ),
  tests(
    'lost-tables',
    '20 machines lost of three collectors that write tables, judged by pyiceberg',
    'test/interop/tables/lost-machines.nightly.test.ts',
    { SLUICE_TEST_LOST_TABLES: '20' },
  ),
  tests(
    'takeovers',
    'each call of a takeover, its collector killed before and behind it, its answer lost',
    'test/integration/takeovers.test.ts',
    { SLUICE_TEST_TAKEOVER_STEPS: 'all' },
  ),
  tests(
    'table-faults',
    '1,000 faults each on a table of local files, one in HDFS and one of a REST catalog, that three collectors and pyiceberg write',
    'test/interop/tables/faults/faults.test.ts',
    { SLUICE_TEST_TABLE_FAULTS: '1000' },
    '--project',
    'interop',
  ),
  tests(
    'table-faults-spark',
    '100 faults each on a table in HDFS and one of a REST catalog, that three collectors and Spark write',
    'test/interop/tables/faults/faults.test.ts',
    { SLUICE_TEST_TABLE_FAULTS: '100', SLUICE_TEST_TABLE_WRITER: 'spark' },
    '--project',
    'interop',
    '-t',
    'foreign writer',
  ),
  tests(
    'kills-repeats',
    '200 `kill -9` of three collectors and of compactions, while each event is sent one to five times',
    'test/interop/tables/repeats/repeats.test.ts',
    { SLUICE_TEST_REPEAT_KILLS: '200' },
    '--project',
    'interop',
  ),
  tests(
    'kills-protocol',
    "`kill -9` of each data node, of the name node at each step and of the client, under HDFS' own protocol",
    'test/interop/hdfs/kills.nightly.test.ts',
    { SLUICE_TEST_ALL_CASES: '1' },
  ),
  tests(
    'other-hadoops',
    "HDFS' own protocol with other versions of Hadoop, and copies of whole directories by `hadoop distcp`",
    'test/interop/hdfs/other-versions.nightly.test.ts',
    {},
    'test/interop/webhdfs/distcp.nightly.test.ts',
  ),
  tests(
    'every-case',
    "each message of HDFS' own protocol cut, held back and in pieces; each SDK through each way in which requests fail; five times the requests of schemathesis",
    'test/interop/hdfs/steps.test.ts',
    { SLUICE_TEST_ALL_CASES: '1' },
    'test/interop/senders/retries.test.ts',
    'test/interop/schemathesis.test.ts',
    '--project',
    'interop',
  ),
  tests('every-page', 'each page on four widths, in each mode and by keyboard', 'test/integration/looks.test.ts', {
    SLUICE_TEST_ALL_CASES: '1',
  }),
  tests('every-node', 'each command of a fresh clone on each version of Node', 'test/packaging/fresh-clone.test.ts', {
    SLUICE_TEST_ALL_CASES: '1',
  }),
  {
    name: 'oracle',
    shows: '50 seeds of faults, HDFS and a broker, 2 sealers, half of them with 3 edge threads',
    command: ['npm', 'run', '--silent', 'oracle', '--', '--seeds', '50', '--minutes', '25'],
    verdict: /^\| Seeds .*\|$/gm,
  },
  {
    name: 'oracle-objects',
    shows: '50 seeds of faults, and an object store',
    command: ['npm', 'run', '--silent', 'oracle', '--', '--seeds', '50', '--minutes', '25', '--protocol', 's3'],
    missing: () => missingForStage('amqp', 's3'),
    verdict: /^\| Seeds .*\|$/gm,
  },
  {
    name: 'oracle-kerberos',
    shows: '25 seeds of faults, HDFS with Kerberos and a broker',
    command: ['npm', 'run', '--silent', 'oracle', '--', '--seeds', '25', '--minutes', '13', '--kerberos'],
    missing: missingForRealm,
    verdict: /^\| Seeds .*\|$/gm,
  },
  tests(
    'rolling',
    '90 rolling restarts behind HAProxy and nginx, local files and HDFS',
    'test/integration/rolling-restart.test.ts',
    { SLUICE_TEST_ROLLING_ROUNDS: '10' },
  ),
  tests(
    'files',
    '20,000 files of pyarrow, DuckDB and fastavro, value by value',
    'test/interop/files/files.test.ts',
    { SLUICE_TEST_FILE_SEEDS: '20000', SLUICE_TEST_FILE_MINUTES: '120' },
    '--project',
    'interop',
  ),
  tests(
    'versitygw',
    'a store of Go, with and without a look at `If-None-Match`',
    'test/interop/s3/stores.test.ts',
    { SLUICE_TEST_VERSITYGW: '1' },
    '--project',
    'interop',
    '-t',
    'versitygw',
  ),
  tests('model', '200,000 steps of the spool against its model', 'test/model', { SLUICE_TEST_MODEL_STEPS: '200000' }),
  tests('outage', 'an hour without the file system at 1,000 events/s', 'test/exhaustive/spool/outage.test.ts', {
    SLUICE_TEST_OUTAGE_EVENTS: '1000',
  }),
  tests('power-cuts', '100 power cuts', 'test/integration/power-cut.test.ts', { SLUICE_TEST_POWER_CUT_RUNS: '100' }),
  tests('backlog', 'a backlog of 10 GB', 'test/integration/backlog.test.ts', { SLUICE_TEST_BACKLOG_GB: '10' }),
  tests('connections', '10,000 idle and 1,000 slow connections', 'test/integration/abuse-connections.test.ts', {
    SLUICE_TEST_IDLE_CONNECTIONS: '10000',
    SLUICE_TEST_SLOW_CONNECTIONS: '1000',
    SLUICE_TEST_SLOW_READERS: '1000',
  }),
  tests('reproducible', 'all artefacts of a release, built twice: the same bytes', 'test/packaging/release.test.ts', {
    SLUICE_TEST_RELEASE: '1',
  }),
  {
    name: 'clients',
    shows: 'generated clients in every language of which the tools are there',
    command: ['npm', 'run', '--silent', 'clients', '--', '--all'],
    verdict: /^\| .*\|$/gm,
  },
  {
    name: 'overload',
    shows: 'ten times the capacity',
    command: ['npm', 'run', '--silent', 'overload', '--', '--seconds', '5', '--connections', '1000', '--write'],
    verdict: /^\| goodput \|.*\|$/gm,
  },
  {
    name: 'fuzz',
    shows: 'two minutes for each fuzz target',
    command: ['npm', 'run', '--silent', 'fuzz', '--', '--cases', '1000000000', '--seconds', '120'],
    verdict: /^.*(?:no finding|FINDING).*$/gm,
  },
  {
    name: 'soak',
    shows: 'an hour of everything',
    command: ['npm', 'run', '--silent', 'soak', '--', '--minutes', '60', '--write'],
    verdict: /^.*(?:hold|verdict).*$/gim,
  },
]
