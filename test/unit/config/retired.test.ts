import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { clustersOf } from '../../../src/config/clusters.ts'
import { type ConfigInput, loadConfig, SettingsError } from '../../../src/config/config.ts'
import { toPrintables } from '../../../src/config/print.ts'
import { toVariable } from '../../../src/config/sources.ts'
import { retiredKeys, type SettingKey, settingKeys, settingOf } from '../../../src/config/table.ts'

const load = ({ yaml = '', ...input }: Partial<ConfigInput> & { readonly yaml?: string } = {}) =>
  loadConfig({ env: {}, cwd: '/home', readFile: () => yaml, ...input })

const toArgv = (...assignments: readonly string[]) => ({ argv: assignments.flatMap(one => ['--set', one]) })

const problemsOf = (...assignments: readonly string[]): readonly string[] => {
  try {
    load(toArgv(...assignments))
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

const rows = '[{"path":"/a","url":"file:///a"}]'

/** Every setting that is retired: a value of it, and what the log says takes its place. */
const retired: Readonly<Record<string, readonly [value: string, instead: string]>> = {
  'gateway.max-values-per-row': [
    '2000',
    'The limit follows gateway.reader-memory-bytes: 100000 values for each GiB, and never less than for one GiB.',
  ],
  'gateway.max-row-bytes': [
    '1MiB',
    'The limit follows gateway.reader-memory-bytes: 16 MiB for each GiB, from 16 to 128 MiB.',
  ],
  'collector.max-values-per-event': ['200000', 'The limit is a constant: 100000.'],
  'collector.scribe.max-frame-bytes': ['128MiB', 'The limit is a constant: 64 MiB.'],
  'collector.diskspool.enabled': [
    'false',
    'A constant, true: flushing is on in a new spool. sluice flush disable turns it off, also for later starts.',
  ],
  'collector.diskspool.max-uncommitted-period-seconds': [
    '60',
    'collector.diskspool.flush-interval-seconds alone says how long events wait: set it to the smaller of both.',
  ],
  'collector.diskspool.max-uncommitted-write-count': [
    '5000',
    'The limit follows collector.diskspool.max-segment-bytes: 1000000 events for each 128 MiB, and never less.',
  ],
  'collector.filters.event-type.included': [
    'true',
    'Write only <pattern> for each pattern of collector.filters.event-type instead.',
  ],
  mounts: [rows, 'Its rows belong in clusters.'],
}

const toLine = (key: string, place: string): string =>
  `${key} (from ${place}) is retired: it still has its effect, and the next version does not know it. ${retired[key]?.[1]}`

test('every setting that is retired is in the table above, and in no other list', () => {
  expect(Object.keys(retired)).toEqual(retiredKeys)
  expect(settingKeys.filter(key => key in retired)).toEqual([])
})

describe.each(Object.entries(retired))('%s', (key, [value]) => {
  const ways: readonly (readonly [place: string, input: Parameters<typeof load>[0]])[] = [
    ['sluice.yaml, line 2', { yaml: `log.level: info\n${key}: ${value}` }],
    ['sluice.yaml, line 2', { yaml: `# nested\n${key.replace('.', ': {')}: ${value}${key.includes('.') ? '}' : ''}` }],
    [toVariable(key), { env: { [toVariable(key)]: value } }],
    ['--set', toArgv(`${key}=${value}`)],
  ]
  test.each(ways)('given by %s it is warned of, and has the same effect', (place, input) => {
    const { settings, warnings } = load(input)
    expect(warnings).toEqual([toLine(key, place)])
    expect(settings).toEqual(load(toArgv(`${key}=${value}`)).settings)
    expect(settings).not.toEqual(load().settings)
  })

  test('each place that has it is named, and the later one holds', () => {
    const given = { yaml: `${key}: ${value}`, env: { [toVariable(key)]: value } }
    const { warnings, settings } = load({ ...given, ...toArgv(`${key}=${value}`) })
    expect(warnings).toEqual(['sluice.yaml, line 1', toVariable(key), '--set'].map(place => toLine(key, place)))
    expect(settings).toEqual(load(toArgv(`${key}=${value}`)).settings)
  })

  test('is not warned of where it is not given, or empty', () => {
    expect(load().warnings).toEqual([])
    expect(load({ yaml: `${key}: ~`, env: { [toVariable(key)]: '' } }).warnings).toEqual([])
  })

  test('a wrong value is a mistake, as usual', () => {
    expect(problemsOf(`${key}=?`)).toEqual([expect.stringMatching(new RegExp(`^${key} \\(from --set\\): expected `))])
  })

  test('is never what a wrong name may have meant', () => {
    const [problem] = problemsOf(`${key}x=1`)
    expect(problem).toContain(`there is no setting ${key}x`)
    expect(problem).not.toMatch(new RegExp(`did you mean ${key}\\?`))
    expect(load({ env: { [`${toVariable(key)}X`]: '1' } }).warnings.join()).not.toMatch(
      new RegExp(`${toVariable(key)}\\?`),
    )
  })
})

test('a setting that is retired goes with the version after the one that says so', () => {
  const minorOf = (version: string): number => {
    const [major = 0, minor = 0] = version.split('.').map(Number)
    return major * 1_000 + minor
  }
  const late = retiredKeys.filter(key => minorOf(packageJson.version) > minorOf(settingOf(key).retired?.since ?? ''))
  expect(late, 'their rows in src/config/retired.ts are to be deleted').toEqual([])
})

test('only patterns: the old spelling is that of each pattern, and nothing passes without any', () => {
  const patternsOf = (...assignments: readonly string[]) =>
    load(toArgv(...assignments)).settings['collector.filters.event-type']
  expect(patternsOf('collector.filters.event-type=^A$,B', 'collector.filters.event-type.included=true')).toEqual([
    'only ^A$',
    'only B',
  ])
  expect(patternsOf('collector.filters.event-type=B', 'collector.filters.event-type.included=false')).toEqual(['B'])
  expect(patternsOf('collector.filters.event-type.included=true')).toEqual(['^'])
})

test('where the new spelling says something else, the old one is refused', () => {
  const included = 'collector.filters.event-type.included'
  expect(problemsOf('collector.filters.event-type=only A', `${included}=true`)).toEqual([
    `${included} (from --set): expected not to be beside only <pattern> in collector.filters.event-type: leave it out`,
  ])
  expect(problemsOf('collector.filters.event-type=only A', `${included}=false`)).toEqual([])
  expect(problemsOf(`mounts=${rows}`, `clusters=${rows.replace('///a', '///b')}`)).toEqual([
    'mounts (from --set): expected no /a, which is another cluster in clusters: leave it out here',
  ])
  expect(problemsOf(`mounts=${rows}`, `clusters=${rows}`)).toEqual([])
  expect(problemsOf('mounts=[{"path":"/","url":"file:///a"}]', 'namenode.url=hdfs://n')).toEqual([
    'clusters names the default cluster at /, and so does namenode.url: use one of them',
  ])
})

test('the settings that people see have it where it was given, and where the new one came from', () => {
  expect(Object.keys(toPrintables(load().settings))).toEqual([...settingKeys])
  const { settings, sources } = load({
    yaml: `mounts: ${rows}`,
    env: { SLUICE_COLLECTOR_MAX_VALUES_PER_EVENT: '5', SLUICE_COLLECTOR_FILTERS_EVENT_TYPE_INCLUDED: 'true' },
    ...toArgv('collector.filters.event-type=A'),
  })
  const printed = toPrintables(settings)
  expect(printed).toMatchObject({ 'collector.max-values-per-event': '5', 'collector.filters.event-type': 'only A' })
  expect(JSON.parse(printed['clusters'] ?? '')).toMatchObject([{ path: '/a' }])
  expect(printed).not.toHaveProperty('mounts')
  expect([sources.clusters, sources.mounts, sources['collector.max-values-per-event']]).toEqual([
    'sluice.yaml',
    'default',
    'SLUICE_COLLECTOR_MAX_VALUES_PER_EVENT',
  ])
  expect(sources['collector.filters.event-type']).toBe('--set')
  expect(clustersOf(settings).map(({ path, from }) => `${path} ${from}`)).toEqual(['/ namenode', '/a clusters'])
})

/** What the documents of the collector and the gateway of 2012 name, and one cluster of a file with `namenode.url`. */
const stay: readonly SettingKey[] = [
  'namenode.url',
  'namenode.webhdfs.url',
  'namenode.protocol',
  'namenode.user',
  'namenode.token',
  'namenode.kerberos.principal',
  'namenode.kerberos.keytab',
  'namenode.doas',
  'io.row.serializations',
  'io.serializations',
  'collector.event-output-directory',
  'admin.vendor',
]

test('what stays for good is in use, without a word in the log, and the documents say so', () => {
  const page = readFileSync('docs/reference/settings.md', 'utf8')
  const [, section = ''] = page.split('## Names that stay')
  for (const key of stay) {
    expect(settingKeys).toContain(key)
    expect(section.split('\n## ')[0]).toContain(`\`${key.startsWith('namenode.') ? 'namenode.*' : key}\``)
  }
  const { warnings } = load(toArgv('namenode.url=hdfs://n', 'io.serializations=a', 'io.row.serializations=b'))
  expect(warnings).toEqual([])
})
