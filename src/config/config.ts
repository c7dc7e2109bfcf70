import { resolve } from 'node:path'
import { nearest } from '../text/nearest.ts'
import { checkTogether } from './checks.ts'
import { type Cluster, toWebHdfsUrls } from './cluster-rows.ts'
import { Expected } from './setting.ts'
import {
  type Given,
  parseAssignments,
  parseEnvironment,
  parseSettingsFile,
  type SourceValues,
  toSourcePlace,
} from './sources.ts'
import { knownKeys, type SettingKey, type Settings, settingOf } from './table.ts'

/** The sources of settings. */
export type ConfigInput = {
  /** Words after the program's name: `--config FILE`, `--set key=value`. @default [] */
  readonly argv?: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Directory that holds `sluice.yaml`, and that relative paths start from. */
  readonly cwd: string
  /** Text of a file; throws an error with the code `ENOENT` if there is no such file. */
  readonly readFile: (path: string) => string
}

/** The effective settings, frozen, and the source of each. */
export type Config = {
  readonly settings: Settings
  /** `default`, a file's path, a variable's name or `--set`. */
  readonly sources: Readonly<Record<SettingKey, string>>
  /** For the log: variables that are not settings, and settings that are retired. */
  readonly warnings: readonly string[]
  /** Path of the settings file, whether there is one or not. */
  readonly file: string
}

/** Everything that is wrong with the settings, at once; no message repeats a value that could be a secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used:\n${problems.map(problem => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/**
 * Reads the settings; later sources win: defaults, `sluice.yaml`, or the file of `SLUICE_CONFIG` or `--config`, variables, `--set key=value`.
 * @throws SettingsError with every mistake
 */
export const loadConfig = (input: ConfigInput): Config => {
  const words = parseWords(input.argv ?? [])
  const given = words.file ?? (input.env['SLUICE_CONFIG'] || undefined)
  const read = [readSettingsFile(given, input), parseEnvironment(input.env), parseAssignments(words.assignments)]
  const problems = [...words.problems, ...read.flatMap(one => one.problems)]
  const all = read.flatMap(one => one.given)
  const last = new Map(all.map(given => [given.key, given]))
  const parsed = Object.fromEntries(knownKeys.map(key => [key, parseGiven(key, last.get(key), problems)]))
  const { values, sources } = replaceRetired(parsed, last, problems)
  const settings = toSettings(values, input.cwd)
  // Checks of settings together mean little while single ones are wrong: their defaults are used instead.
  if (problems.length === 0) problems.push(...checkTogether(settings))
  if (problems.length > 0) throw new SettingsError(problems)
  return Object.freeze({
    settings,
    sources: Object.freeze(sources),
    warnings: Object.freeze([...read.flatMap(one => one.warnings), ...all.flatMap(toRetiredWarning)]),
    file: toFile(given, input.cwd),
  })
}

/** Everything that a start may be given. */
const options = ['--config', '--set', '--help', '--version']

const toUnknown = (word: string): string => {
  const near = word.startsWith('-') ? nearest(word, options) : undefined
  const hint = near === undefined ? 'expected --config FILE or --set key=value' : `did you mean ${near}?`
  return `unknown argument ${word.slice(0, 80)}: ${hint}`
}

type Words = {
  readonly file: string | undefined
  readonly assignments: readonly string[]
  readonly problems: readonly string[]
}

const parseWords = (argv: readonly string[]): Words => {
  const problems: string[] = []
  const assignments: string[] = []
  let file: string | undefined
  for (let i = 0; i < argv.length; i++) {
    const [, option, attached] = /^(--config|--set)(?:=(.*))?$/s.exec(argv[i] ?? '') ?? []
    if (option === undefined) {
      problems.push(toUnknown(argv[i] ?? ''))
      continue
    }
    const value = attached ?? argv[++i]
    if (value === undefined || value === '') problems.push(`${option} needs a value`)
    else if (option === '--config') file = value
    else assignments.push(value)
  }
  return { file, assignments, problems }
}

const toFile = (given: string | undefined, cwd: string): string => resolve(cwd, given ?? 'sluice.yaml')

const readSettingsFile = (file: string | undefined, { cwd, readFile }: ConfigInput): SourceValues => {
  const path = toFile(file, cwd)
  try {
    return parseSettingsFile(readFile(path), file ?? 'sluice.yaml')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const problems =
      isMissing && file === undefined ? [] : [`${path} cannot be read: ${error instanceof Error ? error.message : ''}`]
    return { given: [], problems, warnings: [] }
  }
}

const parseGiven = (key: SettingKey, given: Given | undefined, problems: string[]): unknown => {
  const setting = settingOf(key)
  if (given === undefined) return setting.default
  try {
    return setting.parse(given.raw)
  } catch (error) {
    problems.push(`${toProblem(given, error)}${toShown(key, given.raw)}`)
    return setting.default
  }
}

/** @throws errors that are not mistakes of the value */
const toProblem = (given: Given, error: unknown): string => {
  if (!(error instanceof Expected)) throw error
  return `${given.key} (from ${toSourcePlace(given)}): expected ${error.message}`
}

type Last = ReadonlyMap<SettingKey, Given>

/** Values of retired settings in the words of those that take their place, and the source of each value. */
const replaceRetired = (parsed: Readonly<Record<string, unknown>>, last: Last, problems: string[]) => {
  const values = { ...parsed }
  const sources = toSources(last)
  for (const given of last.values()) {
    const { retired, default: unset } = settingOf(given.key)
    if (retired?.as === undefined) continue
    try {
      const replaced = retired.as(values[given.key], values)
      Object.assign(values, replaced, { [given.key]: unset })
      sources[given.key] = 'default'
      for (const key of knownKeys) if (key in replaced && !last.has(key)) sources[key] = given.source
    } catch (error) {
      problems.push(toProblem(given, error))
    }
  }
  return { values, sources }
}

/** A line of the log for a value that was given in a spelling that goes. */
const toRetiredWarning = (given: Given): readonly string[] => {
  const { retired, sentence } = settingOf(given.key)
  if (retired === undefined) return []
  return [
    `${given.key} (from ${toSourcePlace(given)}) is retired: it still has its effect, and the next version does not know it. ${sentence.replaceAll('`', '')}`,
  ]
}

/** Shows a short wrong value that cannot hold a secret; URLs may carry a password. */
const toShown = (key: SettingKey, raw: unknown): string => {
  const isPlain = typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean'
  const hidden = settingOf(key).secret === true || key === 'mounts' || key === 'clusters' || String(raw).includes('@')
  return isPlain && !hidden && String(raw).length <= 80 ? `, got ${JSON.stringify(raw)}` : ''
}

/** The table's parsers made each value, so the types of the rows are the types of the values. */
const toSettings = (values: Readonly<Record<string, unknown>>, cwd: string): Settings => {
  const parsed = values as Settings
  const dataDir = resolve(cwd, parsed['data.dir'])
  const nameNode = parsed['namenode.url']
  const webHdfs = parsed['namenode.webhdfs.url']
  const toPath = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(cwd, path))
  const hadoopConf = toPath(parsed['namenode.hadoop-conf'])
  const isDerived = webHdfs.length === 0 && hadoopConf === undefined
  const withPaths = ({ kerberos, ...cluster }: Cluster): Cluster => ({
    ...cluster,
    hadoopConf: toPath(cluster.hadoopConf),
    kerberos: kerberos && { ...kerberos, keytab: resolve(cwd, kerberos.keytab) },
  })
  return deepFreeze({
    ...parsed,
    'data.dir': dataDir,
    'collector.diskspool.path': resolve(cwd, parsed['collector.diskspool.path'] || `${dataDir}/.diskpool`),
    'gateway.host': parsed['gateway.host'] ?? (parsed['gateway.port'] === undefined ? undefined : '127.0.0.1'),
    'namenode.webhdfs.url': isDerived && nameNode !== undefined ? toWebHdfsUrls(nameNode) : webHdfs,
    'server.tls.cert': toPath(parsed['server.tls.cert']),
    'server.tls.key': toPath(parsed['server.tls.key']),
    'admin.tls.cert': toPath(parsed['admin.tls.cert']),
    'admin.tls.key': toPath(parsed['admin.tls.key']),
    'auth.tokens': toPath(parsed['auth.tokens']),
    'auth.kerberos.keytab': toPath(parsed['auth.kerberos.keytab']),
    'namenode.hadoop-conf': hadoopConf,
    'namenode.kerberos.keytab': toPath(parsed['namenode.kerberos.keytab']),
    clusters: parsed.clusters.map(withPaths),
  })
}

const toSources = (last: Last): Record<SettingKey, string> =>
  Object.fromEntries(knownKeys.map(key => [key, last.get(key)?.source ?? 'default'])) as Record<SettingKey, string>

const deepFreeze = <T extends object>(value: T): T => {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part)
  return Object.freeze(value)
}
