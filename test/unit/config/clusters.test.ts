import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { clustersOf, isEmbedded } from '../../../src/config/clusters.ts'
import { loadConfig, SettingsError } from '../../../src/config/config.ts'
import { toPrintable } from '../../../src/config/print.ts'
import { toTrashMinutes } from '../../../src/config/trash.ts'
import { createNameSpace } from '../../../src/filesystem/name-space.ts'

const load = (...assignments: readonly string[]) =>
  loadConfig({
    argv: assignments.flatMap(one => ['--set', one]),
    env: {},
    cwd: '/home',
    readFile: () => {
      throw Object.assign(new Error('no settings file'), { code: 'ENOENT' })
    },
  }).settings

const problemsOf = (...assignments: readonly string[]): string => {
  try {
    load(...assignments)
    return ''
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
}

const list = (...rows: readonly object[]): string => JSON.stringify(rows)
const kerberos = { principal: 'sluice@R', keytab: 'k' }

/** The same clusters in the older spelling and in one list. */
const spellings: Readonly<Record<string, readonly [older: readonly string[], clusters: readonly object[]]>> = {
  'a default cluster': [['namenode.url=hdfs://n:1'], [{ path: '/', url: 'hdfs://n:1' }]],
  'with addresses, user and as whom': [
    [
      'namenode.url=hdfs://n:1',
      'namenode.webhdfs.url=http://a:1,http://b:1',
      'namenode.user=u',
      'namenode.protocol=native',
      'namenode.doas=caller',
      'auth.tokens=/t',
    ],
    [
      {
        path: '/',
        url: 'hdfs://n:1',
        webhdfs: ['http://a:1', 'http://b:1'],
        user: 'u',
        protocol: 'native',
        doas: 'caller',
      },
    ],
  ],
  'of a pair': [
    ['namenode.url=hdfs://n:1, hdfs://m:2'],
    [
      {
        path: '/',
        url: 'hdfs://n:1,m:2',
        webhdfs: ['http://n:9870', 'http://m:9870', 'http://n:50070', 'http://m:50070'],
      },
    ],
  ],
  "with Hadoop's configuration": [
    ['namenode.url=hdfs://prod', 'namenode.hadoop-conf=conf'],
    [{ path: '/', url: 'hdfs://prod', 'hadoop-conf': '/home/conf', webhdfs: [] }],
  ],
  'with a token': [['namenode.url=hdfs://n:1', 'namenode.token=t'], [{ path: '/', url: 'hdfs://n:1', token: 't' }]],
  'with Kerberos, its keytab below the working directory': [
    ['namenode.url=hdfs://n:1', 'namenode.kerberos.principal=sluice@R', 'namenode.kerberos.keytab=k'],
    [{ path: '/', url: 'hdfs://n:1', kerberos }],
  ],
  'more clusters': [
    [
      `mounts=${list({ path: '/a/', url: 'hdfs://m:1', user: 'x', kerberos: undefined }, { path: '/b', url: 'file:///srv' })}`,
    ],
    [
      { path: '/a', url: 'hdfs://m:1', user: 'x' },
      { path: '/b', url: 'file:///srv' },
    ],
  ],
  'one with Kerberos': [
    [`mounts=${list({ path: '/a', url: 'hdfs://m:1', kerberos })}`],
    [{ path: '/a', url: 'hdfs://m:1', kerberos }],
  ],
}

test.for(Object.entries(spellings))('%s, in either spelling, is the same', ([, [older, clusters]]) => {
  const withoutSource = (settings: ReturnType<typeof load>) => clustersOf(settings).map(one => ({ ...one, from: '' }))
  const others = older.filter(one => one.startsWith('auth.'))
  expect(withoutSource(load(...others, `clusters=${list(...clusters)}`))).toEqual(withoutSource(load(...older)))
})

test('without a cluster it is the embedded file system; rows of the old spelling are rows, and one in both is one', () => {
  const [embedded, ...none] = clustersOf(load('data.dir=/d'))
  expect([embedded, none, isEmbedded(embedded)]).toMatchObject([{ path: '/', url: 'file:///d/fs' }, [], true])
  const rows = clustersOf(
    load(
      `mounts=${list({ path: '/a', url: 'file:///a' }, { path: '/b/', url: 'file:///b' })}`,
      `clusters=${list({ path: '/b', url: 'file:///b' }, { path: '/', url: 'file:///r' })}`,
    ),
  )
  expect(rows.map(({ path, url, from }) => `${path} ${url} ${from}`)).toEqual([
    '/ file:///r clusters',
    '/b file:///b clusters',
    '/a file:///a clusters',
  ])
  expect(isEmbedded(rows[0])).toBe(false)
})

test.for([
  [
    'the default one twice',
    ['namenode.url=hdfs://n', `clusters=${list({ path: '/', url: 'hdfs://m' })}`],
    /namenode\.url: use one/,
  ],
  [
    'one path in both lists',
    [`mounts=${list({ path: '/a', url: 'file:/x' })}`, `clusters=${list({ path: '/a', url: 'file:/y' })}`],
    /^ {2}- mounts \(from --set\): expected no \/a, which is another cluster in clusters: leave it out here$/m,
  ],
  [
    'a path twice',
    [`clusters=${list({ path: '/', url: 'file:/x' }, { path: '/', url: 'file:/y' })}`],
    /every path once/,
  ],
  ['a relative path', [`clusters=${list({ path: 'a', url: 'file:/x' })}`], /an absolute path in each cluster/],
  ['a path behind one of a pair', ['namenode.url=hdfs://n:1,m:2/x'], /hdfs:\/\/host:port,host:port/],
  ["Hadoop's configuration alone", ['namenode.hadoop-conf=/c'], /namenode\.url is needed with namenode\.hadoop-conf/],
  ['another key', [`clusters=${list({ path: '/', uri: 'file:/x' })}`], /in a cluster, not uri/],
  [
    'a user for callers',
    [`clusters=${list({ path: '/', url: 'file:/x', doas: 'caller' })}`, 'auth.tokens=/t'],
    /\/ of clusters: doas caller needs HDFS/,
  ],
  [
    'a token beside Kerberos',
    [`clusters=${list({ path: '/', url: 'hdfs://n', token: 'hunter2', kerberos })}`],
    /\/ of clusters: token excludes \/ of clusters: kerberos/,
  ],
] as const)('%s is refused', ([, assignments, message]) => {
  const problems = problemsOf(...assignments)
  expect(problems).toMatch(message)
  expect(problems).not.toContain('hunter2')
})

test('half of Kerberos beside a token: both mistakes are reported', () => {
  const problems = problemsOf('namenode.url=hdfs://n', 'namenode.token=t', 'namenode.kerberos.keytab=/k')
  expect(problems).toContain('namenode.kerberos.principal is needed')
  expect(problems).toContain('namenode.token excludes namenode.kerberos')
})

test('a list that cannot be read is not shown: it may hold a token', () => {
  for (const key of ['clusters', 'mounts']) {
    const problems = problemsOf(`${key}=[{"path":"/a","token":"hunter2"`)
    expect(problems).toContain(`${key} (from`)
    expect(problems).not.toContain('hunter2')
  }
})

test.for(['caller', 'server'])('doas %s: on whose behalf a cluster can be asked', async doas => {
  const row = { path: '/', url: 'hdfs://n', user: 'u', doas }
  const fileSystem = await createNameSpace(clustersOf(load(`clusters=${list(row)}`, 'auth.tokens=/t')), () => {
    throw new Error('no tokens here')
  })
  expect(fileSystem.as !== undefined).toBe(doas === 'caller')
  await fileSystem.close()
})

test('tokens are not shown', () => {
  const settings = load(`clusters=${list({ path: '/', url: 'hdfs://n', token: 'hunter2' })}`)
  expect(toPrintable(settings, 'clusters')).toContain('"path":"/"')
  expect(toPrintable(settings, 'clusters')).not.toContain('hunter2')
})

test('the trash is emptied here only where all are local', () => {
  expect(toTrashMinutes(load(`clusters=${list({ path: '/', url: 'file:///x' })}`))).toBe(1_440)
  expect(toTrashMinutes(load(`clusters=${list({ path: '/', url: 'hdfs://n' })}`))).toBe(0)
})

test('they are one name space', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sluice clusters-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const urlOf = (name: string): string => pathToFileURL(join(root, name)).href
  const settings = load(`clusters=${list({ path: '/', url: urlOf('r') }, { path: '/m', url: urlOf('m') })}`)
  const fileSystem = await createNameSpace(clustersOf(settings), () => {
    throw new Error('no tokens here')
  })
  expect([fileSystem.mountPoints, fileSystem.urlOf('/'), fileSystem.urlOf('/m/x')]).toEqual([
    ['/', '/m'],
    urlOf('r'),
    urlOf('m'),
  ])
  await fileSystem.close()
})

test.for([
  [`clusters=${list({ path: '/', url: 'file:///proc/no' })}`, 'clusters'],
  ['data.dir=/proc/no', 'data.dir'],
] as const)('%s: an error names the setting', async ([assignment, setting]) => {
  const opening = createNameSpace(clustersOf(load(assignment)), () => {
    throw new Error('no tokens here')
  })
  await expect(opening).rejects.toThrow(`the setting ${setting} says where it is`)
})
