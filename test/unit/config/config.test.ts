import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Config, type ConfigInput, loadConfig, SettingsError } from '../../../src/config/config.ts'
import { settingsHelp, settingsReference, toPrintable } from '../../../src/config/print.ts'
import { parseSettingsFile, toVariable } from '../../../src/config/sources.ts'
import { settingKeys } from '../../../src/config/table.ts'

const missing = (path: string): never => {
  throw Object.assign(new Error(`no such file ${path}`), { code: 'ENOENT' })
}

const load = (input: Partial<ConfigInput> & { readonly yaml?: string } = {}): Config => {
  const { yaml, ...rest } = input
  const readFile = (path: string): string => (path === '/home/sluice.yaml' && yaml !== undefined ? yaml : missing(path))
  return loadConfig({ env: {}, cwd: '/home', readFile, ...rest })
}

const problemsOf = (input: Parameters<typeof load>[0]): readonly string[] => {
  try {
    load(input)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

describe('defaults', () => {
  test('are typed, resolved and frozen', () => {
    const { settings, sources, warnings } = load()
    const port: number = settings['server.port']
    expect(port).toBe(8080)
    expect(settings.services).toEqual(['collector', 'gateway'])
    expect(settings['data.dir']).toBe('/home/data')
    expect(settings['collector.diskspool.path']).toBe('/home/data/.diskpool')
    expect(settings['collector.diskspool.max-segment-bytes']).toBe(134_217_728)
    expect(settings['gateway.port']).toBeUndefined()
    expect(settings['namenode.webhdfs.url']).toEqual([])
    expect(sources['server.port']).toBe('default')
    expect(warnings).toEqual([])
    expect(Object.isFrozen(settings) && Object.isFrozen(settings.services)).toBe(true)
  })

  test('that depend on other settings follow them', () => {
    const { settings } = load({
      argv: ['--set', 'namenode.url=hdfs://nn:8020', '--set=data.dir=/d', '--set', 'gateway.port=0'],
    })
    expect(settings['namenode.webhdfs.url']).toEqual(['http://nn:9870', 'http://nn:50070'])
    expect(settings['collector.diskspool.path']).toBe('/d/.diskpool')
    expect(settings['gateway.host']).toBe('127.0.0.1')
  })
})

describe('sources', () => {
  test('win in the order file, environment, --set', () => {
    const yaml = 'server:\n  host: localhost\n  port: 1\nadmin.port: 1\ncollector.scribe:\n  port: 1'
    const env = { SLUICE_ADMIN_PORT: '2', SLUICE_COLLECTOR_SCRIPE_PORT: '9', SLUICE_COLLECTOR_SCRIBE_PORT: '2' }
    const { settings, sources, warnings } = load({ yaml, env, argv: ['--set', 'collector.scribe.port=3'] })
    expect([settings['server.port'], settings['admin.port'], settings['collector.scribe.port']]).toEqual([1, 2, 3])
    expect([sources['server.port'], sources['admin.port'], sources['collector.scribe.port']]).toEqual([
      'sluice.yaml',
      'SLUICE_ADMIN_PORT',
      '--set',
    ])
    expect(warnings).toEqual([
      'SLUICE_COLLECTOR_SCRIPE_PORT is not a setting; did you mean SLUICE_COLLECTOR_SCRIBE_PORT?',
    ])
  })

  test('--config names another file, and has to exist', () => {
    const { settings } = load({
      argv: ['--config', 'a/b.yaml'],
      readFile: path => (path === '/home/a/b.yaml' ? 'admin.port: 5' : missing(path)),
    })
    expect(settings['admin.port']).toBe(5)
    expect(problemsOf({ argv: ['--config=nowhere.yaml'] })).toEqual([
      '/home/nowhere.yaml cannot be read: no such file /home/nowhere.yaml',
    ])
  })

  test('variables that are not settings do not warn', () => {
    const env = {
      SLUICE_URL: 'x',
      SLUICE_SERVER_URL: 'x',
      SLUICE_REQUIRE: 'x',
      SLUICE_HDFS_HOME: 'x',
      SLUICE_NO_HDFS: '1',
      SLUICE_SERVER_PORT: '',
    }
    expect(load({ env }).warnings).toEqual([])
  })

  test('a section whose lines are all comments, and null, leave the defaults', () => {
    expect(load({ yaml: 'server:\n  # port: 1\nadmin.port: ~' }).settings['admin.port']).toBe(8081)
    expect(load({ yaml: '# nothing' }).settings['server.port']).toBe(8080)
  })
})

describe('SLUICE_CONFIG', () => {
  const files: Readonly<Record<string, string>> = { '/etc/s.yaml': 'server.port: 1', '/d/other.yaml': 'server.port: 2' }
  const portOf = (env: Readonly<Record<string, string>>, ...argv: readonly string[]): unknown => {
    const readFile = (path: string): string => {
      const text = files[path]
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
      return text
    }
    const { settings, warnings, file } = loadConfig({ argv, env, cwd: '/d', readFile })
    expect(warnings).toEqual([])
    return [settings['server.port'], file]
  }
  test('names the settings file; --config wins; one that is missing is refused', () => {
    expect(portOf({ SLUICE_CONFIG: '/etc/s.yaml' })).toEqual([1, '/etc/s.yaml'])
    expect(portOf({ SLUICE_CONFIG: '/etc/s.yaml' }, '--config', 'other.yaml')).toEqual([2, '/d/other.yaml'])
    expect(portOf({ SLUICE_CONFIG: '' })).toEqual([8080, '/d/sluice.yaml'])
    expect(() => portOf({ SLUICE_CONFIG: '/missing.yaml' })).toThrow('/missing.yaml cannot be read')
  })
})

test('no variable that tests and scripts read is warned about', () => {
  const sources = globSync('{test,scripts}/**/*.ts').map(path => readFileSync(path, 'utf8'))
  const reads = /process\.env\['(SLUICE_[A-Z_]+)'/g
  const names = [...sources.join('\n').matchAll(reads)].map(([, name = '']) => name)
  expect(names).toContain('SLUICE_TEST_KILLS')
  expect(load({ env: Object.fromEntries(names.map(name => [name, '1'])) }).warnings).toEqual([])
})

describe('values', () => {
  const given: readonly (readonly [key: string, raw: string, want: unknown])[] = [
    ['collector.max-body-bytes', '16MiB', 16_777_216],
    ['collector.max-body-bytes', '16 mb', 16_000_000],
    ['collector.max-body-bytes', '1.5KiB', 1536],
    ['collector.max-body-bytes', '4096', 4096],
    ['collector.scribe.enabled', 'No', false],
    ['collector.ack', 'WRITTEN', 'written'],
    ['collector.replicated.sync', 'hflush', 'hflush'],
    ['services', 'gateway', ['gateway']],
    ['server.host', '[::1]', '::1'],
    ['collector.event-output-directory', '/a//b/./c/', '/a/b/c'],
    ['collector.event-output-directory', '/', '/'],
    ['realtime.ttl-ms', '300_000', 300_000],
    ['collector.filters.ip', '^10\\., ^192', ['^10\\.', '^192']],
    ['collector.trusted-proxies', '', []],
    ['realtime.topic', 'a=b', 'a=b'],
    ['registrar.url', 'https://r.example/v1/', 'https://r.example/v1'],
    [
      'clusters',
      '[{"path":"/a/","url":"hdfs://n:1"}]',
      [
        {
          path: '/a',
          url: 'hdfs://n:1',
          webhdfs: ['http://n:9870', 'http://n:50070'],
          protocol: 'auto',
          hadoopConf: undefined,
          user: undefined,
          token: undefined,
          kerberos: undefined,
          doas: 'server',
        },
      ],
    ],
    [
      'clusters',
      '[{"path":"/a","url":"hdfs://n:1","webhdfs":["http://n:1"],"protocol":"native","kerberos":{"principal":"s@R","keytab":"/k"},"doas":"SERVER"}]',
      [
        {
          path: '/a',
          url: 'hdfs://n:1',
          webhdfs: ['http://n:1'],
          protocol: 'native',
          user: undefined,
          token: undefined,
          kerberos: { principal: 's@R', keytab: '/k' },
          doas: 'server',
        },
      ],
    ],
    [
      'clusters',
      '[{"path":"/lake","url":"S3://bucket/a b/%41/","endpoint":"http://h:9000/","region":"eu-west-1","path-style":true,"profile":"p"}]',
      [
        {
          path: '/lake',
          url: 's3://bucket/a b/%41',
          webhdfs: [],
          protocol: 'auto',
          doas: 'server',
          s3: { endpoint: 'http://h:9000', region: 'eu-west-1', pathStyle: true, profile: 'p' },
        },
      ],
    ],
    ['clusters', '[{"path":"/","url":"s3://bb"}]', [expect.objectContaining({ path: '/', url: 's3://bb', s3: {} })]],
  ]
  test.each(given)('%s=%s', (key, raw, want) => {
    const { settings } = load({ argv: ['--set', `${key}=${raw}`] })
    expect(Object.entries(settings).find(([name]) => name === key)?.[1]).toEqual(want)
  })

  test('keep commas of patterns in a YAML list', () => {
    const { settings } = load({ yaml: 'collector.filters.useragent: ["a{1,2}", bot]' })
    expect(settings['collector.filters.useragent']).toEqual(['a{1,2}', 'bot'])
  })
})

const ofCatalog = [
  'collector.output.table=iceberg',
  'collector.output.format=parquet',
  'collector.output.catalog=https://c',
]

describe('mistakes', () => {
  test('are all reported at once, with the nearest known key', () => {
    const problems = problemsOf({
      yaml: 'server.prot: 1\ncollector:\n  ack: fast\n  max-body-bytes: 3 apples\n',
      env: { SLUICE_ADMIN_PORT: '99999' },
      argv: ['--set', 'colector.auth=open', '--set', 'novalue', '--verbose', '--set'],
    })
    expect(problems).toEqual([
      'unknown argument --verbose: expected --config FILE or --set key=value',
      '--set needs a value',
      'sluice.yaml, line 1: there is no setting server.prot; did you mean server.port?',
      '--set: there is no setting colector.auth; did you mean collector.auth?',
      '--set novalue: expected key=value',
      'admin.port (from SLUICE_ADMIN_PORT): expected a whole number from 0 to 65535, got "99999"',
      'collector.ack (from sluice.yaml, line 3): expected one of replicated, fsync, written, memory, got "fast"',
      'collector.max-body-bytes (from sluice.yaml, line 4): expected bytes, such as 16777216, 16MiB or 16MB, from 1 to 1073741824, got "3 apples"',
    ])
  })

  test('say why, where a limit has a reason that cannot be seen', () => {
    expect(problemsOf({ yaml: 'collector.replicated.takeover-seconds: 7\n' })).toEqual([
      'collector.replicated.takeover-seconds (from sluice.yaml, line 1): expected a whole number from 8 to 86400 (a collector shows a sign of life every 2 s, and a look at the others may take 5 s), got 7',
    ])
  })

  const given: readonly (readonly [name: string, argv: readonly string[], want: RegExp])[] = [
    ['a public gateway', ['server.host=0.0.0.0'], /server\.host 0\.0\.0\.0 would show the gateway .* auth\.tokens/],
    ['a public gateway of its own', ['gateway.host=10.0.0.1', 'gateway.port=1'], /gateway\.host 10\.0\.0\.1/],
    ['a public management', ['admin.host=::'], /admin\.host :: .* auth\.tokens/],
    ['tokens that nobody knows', ['collector.auth=token'], /auth\.tokens/],
    [
      'a public Scribe port where events need tokens',
      ['collector.auth=token', 'auth.tokens=/t', 'collector.scribe.host=0.0.0.0'],
      /^collector\.scribe\.host 0\.0\.0\.0 .* collector\.scribe\.enabled=false$/,
    ],
    ['a vendor with a wildcard', ['admin.vendor=a*'], /^admin\.vendor must be the start of a JMX domain/],
    ['a vendor with a colon', ['admin.vendor=a:b'], /^admin\.vendor/],
    ['a vendor with a line break', ['admin.vendor=a\nb'], /^admin\.vendor/],
    ['a vendor without an end', [`admin.vendor=${'a'.repeat(101)}`], /^admin\.vendor/],
    ['half a certificate', ['admin.tls.cert=/c'], /admin\.tls\.key is needed/],
    ['a port taken twice', ['admin.port=8080'], /admin\.port and server\.port are both 8080/],
    ['no service', ['services='], /services/],
    ['a host without a port', ['gateway.host=localhost'], /gateway\.port is needed/],
    ['WebHDFS without HDFS', ['namenode.webhdfs.url=http://a'], /namenode\.url is needed/],
    ['events without a broker', ['realtime.events=Hello'], /realtime\.broker/],
    ['a relative directory', ['collector.event-output-directory=events'], /absolute/],
    ['a directory with two dots', ['collector.event-output-directory=/a/../b'], /absolute path without "\.\."/],
    [
      'a codec that sequence files do not have',
      ['collector.output.format=sequencefile', 'collector.output.compression=lzf'],
      /^collector\.output\.compression lzf cannot be used .* gzip, deflate or zstd$/,
    ],
    ...['native', 'sequencefile'].map(
      format =>
        [
          `lines without an envelope where ${format} has no lines`,
          [`collector.output.format=${format}`, 'collector.output.envelope=false'],
          new RegExp(`^collector\\.output\\.envelope false cannot be used with .* ${format}: only lines of jsonl`),
        ] as const,
    ),
    ...['native', 'sequencefile', 'jsonl'].map(
      format =>
        [
          `tables of files of ${format}`,
          ['collector.output.table=iceberg', `collector.output.format=${format}`],
          new RegExp(
            `^collector\\.output\\.table iceberg needs collector\\.output\\.format parquet, and it is ${format}:`,
          ),
        ] as const,
    ),
    [
      'tables with partitions of another kind',
      ['collector.output.table=iceberg', 'collector.output.format=parquet', 'collector.output.layout=hive'],
      /^collector\.output\.layout hive cannot be used with collector\.output\.table iceberg:/,
    ],
    [
      'tables at the root',
      ['collector.output.table=iceberg', 'collector.output.format=parquet', 'collector.event-output-directory=/'],
      /^collector\.output\.table iceberg needs a collector\.event-output-directory below \//,
    ],
    [
      'a catalog of no tables',
      ['collector.output.catalog=https://c'],
      /^collector\.output\.catalog requires collector\.output\.table iceberg$/,
    ],
    [
      'a compaction of no tables',
      ['collector.compaction.mode=hourly'],
      /^collector\.compaction\.mode hourly requires collector\.output\.table iceberg: only tables are compacted$/,
    ],
    [
      'ids of events in no tables',
      ['collector.event-ids.column=true'],
      /^collector\.event-ids\.column requires collector\.output\.table iceberg: only tables have that column$/,
    ],
    [
      'a retention of no tables',
      ['collector.retention=Order=30'],
      /^collector\.retention requires collector\.output\.table iceberg: only rows of tables are removed$/,
    ],
    ...[
      'Order',
      'Order=',
      '=3',
      'Order=0',
      'Order=-1',
      'Order=1.5',
      'Order=36501',
      'Order=ever',
      'Order=1;2',
      'a=1,b',
    ].map(
      value =>
        [
          `the retention ${value}`,
          [`collector.retention=${value}`],
          /expected event types with whole days from 1 to 36500, or forever, such as Order=30,\*=365/,
        ] as const,
    ),
    ['a type with two retentions', ['collector.retention=Order=1,Click=2,Order=3'], /each event type once/],
    [
      'a token for no catalog',
      ['collector.output.rest.token=s'],
      /^collector\.output\.catalog is needed with collector\.output\.rest\.token:/,
    ],
    [
      'a token and a credential',
      [...ofCatalog, 'collector.output.rest.token=s', 'collector.output.rest.credential=a:b'],
      /^collector\.output\.rest\.token excludes collector\.output\.rest\.credential:/,
    ],
    [
      'a credential without a secret',
      [...ofCatalog, 'collector.output.rest.credential=hunter2:'],
      /^collector\.output\.rest\.credential is not client-id:client-secret$/,
    ],
    [
      'a catalog with a user',
      ['collector.output.catalog=https://me:secret@c'],
      /collector\.output\.catalog .*expected a URL without a user or options/,
    ],
    ['a namespace with an empty level', ['collector.output.namespace=a..b'], /collector\.output\.namespace/],
    [
      'a log in HDFS where there is none',
      ['collector.ack=replicated'],
      /^collector\.ack replicated needs HDFS or an object store, and collector\.event-output-directory \/events is on file:\/\/\S+\/fs: a local directory .*Set namenode\.url, or collector\.ack to fsync$/,
    ],
    [
      'a log in a directory that is mounted',
      [
        'collector.ack=replicated',
        'namenode.url=hdfs://n',
        'collector.event-output-directory=/a//b/c',
        'clusters=[{"path":"/a","url":"hdfs://m"},{"path":"/a/b","url":"file:/x"}]',
      ],
      /^collector\.ack replicated needs HDFS or an object store, and \S+ \/a\/b\/c is on file:\/x:/,
    ],
    [
      'a log in a directory that is mounted, whatever comes first',
      [
        'collector.ack=replicated',
        'collector.event-output-directory=/a/b',
        'clusters=[{"path":"/","url":"hdfs://n"},{"path":"/a/b","url":"file:/x"},{"path":"/a","url":"hdfs://m"}]',
      ],
      /^collector\.ack replicated needs HDFS or an object store, and \S+ \/a\/b is on file:\/x:/,
    ],
    [
      'a log by WebHDFS',
      ['collector.ack=replicated', 'namenode.url=hdfs://n', 'namenode.protocol=webhdfs'],
      /^collector\.ack replicated needs HDFS' own protocol: .*Set namenode\.protocol to auto or native$/,
    ],
    [
      'a log that no group gets into',
      ['collector.ack=replicated', 'namenode.url=hdfs://n', 'collector.replicated.replication=1'],
      /^collector\.replicated\.min 2 is more than collector\.replicated\.replication 1: /,
    ],
    ['a bad URL', ['namenode.url=nn:8020'], /hdfs:\/\//],
    ['a URL without a host', ['namenode.url=hdfs:/nn:8020'], /^namenode\.url .*hdfs:\/\//],
    ['a URL with a host that HTTP does not take', ['namenode.url=hdfs://1.2.3.256:8020'], /^namenode\.url .*hdfs:\/\//],
    ['a bad user in a URL', ['namenode.url=hdfs://u:\\p@h:1', 'server.port=x'], /^server\.port/],
    ['a bad pattern', ['collector.filters.host=('], /regular expression/],
    ['rules for callers that nobody reads', ['auth.kerberos.keytab=/k'], /auth\.tokens is needed with auth\.kerberos/],
    [
      'a header that anybody may send',
      ['auth.proxy-header=X-User', 'auth.tokens=/t'],
      /auth\.trusted-proxies is needed/,
    ],
    ['proxies without a header', ['auth.trusted-proxies=10.0.0.1'], /auth\.proxy-header is needed/],
    ['a principal without its keys', ['namenode.kerberos.principal=s@R'], /namenode\.kerberos\.keytab is needed/],
    [
      'a keytab for no cluster',
      ['namenode.kerberos.keytab=/k', 'namenode.kerberos.principal=s@R'],
      /namenode\.url is needed with namenode\.kerberos\.keytab/,
    ],
    [
      'a cluster that is told twice who comes',
      ['namenode.url=hdfs://n', 'namenode.kerberos.keytab=/k', 'namenode.kerberos.principal=s@R', 'namenode.user=u'],
      /namenode\.user excludes namenode\.kerberos/,
    ],
    [
      'other users by a token',
      ['namenode.url=hdfs://n', 'namenode.token=t', 'namenode.doas=caller', 'auth.tokens=/t'],
      /namenode\.doas caller needs namenode\.kerberos or namenode\.user/,
    ],
    [
      'other users whom anybody may say he is',
      ['namenode.url=hdfs://n', 'namenode.user=sluice', 'namenode.doas=caller'],
      /namenode\.doas caller needs auth\.tokens/,
    ],
    [
      'other users of a mounted directory',
      ['clusters=[{"path":"/a","url":"file:/x","doas":"caller"}]', 'auth.tokens=/t'],
      /\/a of clusters: doas caller needs HDFS/,
    ],
    [
      'a window that no reader may hold',
      ['gateway.max-window-bytes=2GiB'],
      /gateway\.max-window-bytes 2147483648 is more than half of gateway\.reader-memory-bytes 1073741824: raise that to at least 4294967296/,
    ],
    [
      'Kerberos for a mounted directory',
      ['clusters=[{"path":"/a","url":"file:/x","kerberos":{"principal":"s@R","keytab":"/k"}}]'],
      /^clusters .*kerberos only beside a url hdfs:/,
    ],
    [
      'half of Kerberos in a cluster',
      ['clusters=[{"path":"/a","url":"hdfs://n","kerberos":{"keytab":"/k"}}]'],
      /clusters/,
    ],
    ['something else in it', ['clusters=[{"path":"/a","url":"hdfs://n","kerberos":"/k"}]'], /kerberos as/],
    [
      'a user of a store',
      ['clusters=[{"path":"/a","url":"s3://bb","user":"u"}]'],
      /^clusters .*user only beside a url hdfs:/,
    ],
    [
      'a region of HDFS',
      ['clusters=[{"path":"/a","url":"hdfs://n","region":"r"}]'],
      /^clusters .*region only beside a url s3:/,
    ],
    [
      'a prefix that leaves its bucket',
      ['clusters=[{"path":"/a","url":"s3://bb/../c"}]'],
      /s3:\/\/bucket or s3:\/\/bucket\/prefix/,
    ],
    [
      'keys in the URL of a store',
      ['clusters=[{"path":"/a","url":"s3://k:hush@bb"}]'],
      /^(?!.*hush)clusters .*s3:\/\/bucket/,
    ],
    [
      'a password in its endpoint',
      ['clusters=[{"path":"/a","url":"s3://bb","endpoint":"http://u:hush@h"}]'],
      /^(?!.*hush)clusters /,
    ],
    ['a cluster with an unknown key', ['clusters=[{"path":"/a","uri":"file:/x"}]'], /not uri/],
  ]
  test.each(given)('%s', (_, assignments, want) => {
    expect(problemsOf({ argv: assignments.flatMap(one => ['--set', one]) }).join('\n')).toMatch(want)
  })

  test('a window may be half of what a reader may hold, and 128 MiB of whatever that is', () => {
    const windowOf = (...argv: readonly string[]): number =>
      load({ argv: argv.flatMap(one => ['--set', one]) }).settings['gateway.max-window-bytes']
    expect(windowOf('gateway.max-window-bytes=2GiB', 'gateway.reader-memory-bytes=4GiB')).toBe(2 ** 31)
    expect(windowOf('gateway.reader-memory-bytes=128MiB')).toBe(2 ** 27)
  })

  test.each([
    ['HDFS', ['namenode.url=hdfs://n']],
    ['HDFS with one DataNode', ['namenode.url=hdfs://n', 'collector.replicated.min=1']],
    ['an object store', ['clusters=[{"path":"/","url":"s3://bb"}]']],
    ['a mount of HDFS', ['clusters=[{"path":"/events","url":"hdfs://n"}]']],
    [
      'a mount that only looks like it is above',
      ['namenode.url=hdfs://n', 'clusters=[{"path":"/event","url":"file:/x"}]'],
    ],
    ['no collector', ['services=gateway']],
  ])('a log may be replicated with %s', (_, assignments) => {
    const argv = ['collector.ack=replicated', ...assignments].flatMap(one => ['--set', one])
    expect(problemsOf({ argv })).toEqual([])
  })

  test('a public collector needs no tokens once the gateway is elsewhere', () => {
    expect(problemsOf({ argv: ['--set', 'server.host=0.0.0.0', '--set', 'gateway.port=8082'] })).toEqual([])
    expect(problemsOf({ argv: ['--set', 'server.host=0.0.0.0', '--set', 'services=collector'] })).toEqual([])
  })

  test('a public Scribe port is for events without tokens', () => {
    const open = ['--set', 'collector.scribe.host=0.0.0.0']
    const tokens = ['--set', 'collector.auth=token', '--set', 'auth.tokens=/t']
    expect(problemsOf({ argv: open })).toEqual([])
    expect(problemsOf({ argv: [...open, ...tokens, '--set', 'collector.scribe.enabled=false'] })).toEqual([])
    expect(problemsOf({ argv: [...open, ...tokens, '--set', 'services=gateway'] })).toEqual([])
    expect(problemsOf({ argv: [...tokens, '--set', 'admin.vendor=com.example'] })).toEqual([])
  })

  test('never show a secret', () => {
    const text = problemsOf({
      env: { SLUICE_REALTIME_BROKER: 'http://u:hunter2@b', SLUICE_MOUNTS: 'hunter2', SLUICE_CLUSTERS: 'hunter2' },
      argv: ['--set', 'registrar.url=ftp://u:hunter2@x'],
    }).join('\n')
    expect(text).toMatch(/^clusters .*\n.*\nrealtime\.broker .*\nmounts /)
    expect(text).not.toContain('hunter2')
  })

  test('of YAML name the file: bad syntax, a list, alias bombs, depth, length', () => {
    const bomb = `a: &a [1,1,1,1,1,1,1,1,1,1]\n${'bcdefghi'.replace(/./g, (x, i: number) => `${x}: &${x} [${`*${'abcdefgh'[i]},`.repeat(10)}]\n`)}`
    for (const yaml of [
      'a: [',
      '- 1',
      '['.repeat(100_000),
      bomb,
      `${'{a: '.repeat(30)}1${'}'.repeat(30)}`,
      '#'.repeat(1_100_000),
      'server.port: 1\nserver.port: 2',
    ]) {
      expect(problemsOf({ yaml })[0]).toMatch(/^sluice\.yaml: /)
    }
  })
})

test('parseSettingsFile never throws', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200, unit: 'binary' }), yaml => {
      expect(parseSettingsFile(yaml, 'f').problems).toBeInstanceOf(Array)
    }),
    { numRuns: 500 },
  )
})

describe('a map by event type', () => {
  const tables = 'collector.output: {format: parquet, table: iceberg}\n'
  const retention = { 'a.b=c': 7, Order: 30, '*': 'forever' }
  test.each<[string, Parameters<typeof load>[0]]>([
    ['a map', { yaml: `${tables}collector.retention: {a.b=c: 7, Order: 30, "*": forever}` }],
    ['a map in maps', { yaml: `${tables}collector:\n  retention:\n    a.b=c: 7\n    Order: "30"\n    "*": forever` }],
    ['text', { yaml: `${tables}collector.retention: a.b=c=7, Order = 30,*=forever` }],
    ['a list', { yaml: `${tables}collector.retention: [a.b=c=7, Order=30, "*=forever"]` }],
    ['a variable', { yaml: tables, env: { SLUICE_COLLECTOR_RETENTION: 'a.b=c=7,Order=30,*=forever' } }],
    ['--set', { yaml: tables, argv: ['--set', 'collector.retention=a.b=c=7,Order=30,*=forever'] }],
  ])('is the same as %s, and printed as text that is read again', (_, input) => {
    const { settings } = load(input)
    expect(settings['collector.retention']).toEqual(retention)
    expect(toPrintable(settings, 'collector.retention')).toBe('a.b=c=7,Order=30,*=forever')
  })

  test('is replaced as a whole by a later source, and may be empty', () => {
    const yaml = `${tables}collector.retention: {Order: 30}`
    const env = { SLUICE_COLLECTOR_RETENTION: 'Click=1' }
    expect(load({ yaml, env }).settings['collector.retention']).toEqual({ Click: 1 })
    const argv = ['--set', 'collector.retention=']
    expect(load({ yaml, env, argv }).settings['collector.retention']).toEqual({})
    expect(load({ yaml: 'collector.retention: {}' }).settings['collector.retention']).toEqual({})
    expect(load({ yaml: 'collector.retention:' }).settings['collector.retention']).toEqual({})
  })

  test('has a type that is named as any other', () => {
    const { settings } = load({ yaml: `${tables}collector.retention: {__proto__: 3, constructor: 4}` })
    expect(toPrintable(settings, 'collector.retention')).toBe('__proto__=3,constructor=4')
  })
})

describe('printing', () => {
  test('S5: hides secrets, and passwords and queries in URLs', () => {
    const { settings } = load({
      argv: [
        'namenode.token=hunter2',
        'namenode.url=hdfs://n',
        'realtime.broker=amqp://u:hunter2@b?tls=false',
        'registrar.url=https://u:hunter2@r',
        'collector.event-ids.key=hunter2hunter2hunter2',
        'clusters=[{"path":"/a","url":"hdfs://n","token":"hunter2"}]',
      ].flatMap(one => ['--set', one]),
    })
    const all = settingKeys.map(key => toPrintable(settings, key)).join('\n')
    expect(all).not.toContain('hunter2')
    expect(toPrintable(settings, 'registrar.url')).toBe('https://(hidden)@r')
    expect(toPrintable(settings, 'services')).toBe('collector,gateway')
    const odd = load({ argv: ['--set', 'registrar.url=https://u:hun,ter@2@r/types?key=hunter2'] })
    expect(toPrintable(odd.settings, 'registrar.url')).toBe('https://(hidden)@r/types?(hidden)')
    expect(toPrintable(settings, 'gateway.host')).toBe('')
  })

  test.each([
    ['too short', 'key: fifteen-letters'],
    ['a number, whose digits may be rounded', 'key: 12345678901234567890'],
    ['nothing', 'key: ""'],
    ['a list', 'key: [a-secret-of-sixteen]'],
  ])('S5: a key of event ids that is %s is refused, and not repeated', (_, yaml) => {
    const text = `collector: { event-ids: { ${yaml} } }`
    expect(() => load({ readFile: () => text })).toThrow(
      /^The settings cannot be used:\n {2}- collector\.event-ids\.key \(from sluice\.yaml, line 1\): expected a secret text of at least 16 bytes, such as `openssl rand -base64 32` prints$/,
    )
  })

  test.each(['a-secret-of-16-b', 'ä'.repeat(8)])('a key of event ids of 16 bytes is one: %s', key => {
    const { settings } = load({ env: { SLUICE_COLLECTOR_EVENT_IDS_KEY: key } })
    expect(settings['collector.event-ids.key']).toBe(key)
    expect(toPrintable(settings, 'collector.event-ids.key')).toBe('(hidden)')
  })

  test('has a row and a line for every key, and every key a variable of its own', () => {
    for (const key of settingKeys) {
      expect(settingsReference()).toContain(`| \`${key}\` |`)
      expect(settingsHelp()).toContain(`  ${key} `)
    }
    expect(new Set(settingKeys.map(toVariable)).size).toBe(settingKeys.length)
    expect(toVariable('collector.max-body-bytes')).toBe('SLUICE_COLLECTOR_MAX_BODY_BYTES')
  })
})
