import { isNode, LineCounter, parseDocument } from 'yaml'
import { isRecord } from '../is-record.ts'
import { nearest } from '../text/nearest.ts'
import { isSettingKey, knownKeys, type SettingKey, settingKeys, settingOf } from './table.ts'

/** A given value, and its source. */
export type Given = {
  readonly key: SettingKey
  readonly raw: unknown
  /** For people: `sluice.yaml`, `SLUICE_SERVER_PORT`, `--set`. */
  readonly source: string
  /** Its line in a file, from 1; undefined if that is not one place, or not a file. */
  readonly line?: number | undefined
}

/** What one source holds; `problems` refuse the start, `warnings` do not. */
export type SourceValues = {
  readonly given: readonly Given[]
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** A settings file is read whole; larger ones are refused. */
const maxFileChars = 1_048_576
const maxDepth = 20
const maxAliases = 100

/** Variables that set the length and the seed of tests start with this. */
const testPrefix = 'SLUICE_TEST_'

/** Other variables of this project that are not settings: for the command line, and for HDFS and brokers to try. */
const otherVariables = [
  'SLUICE_CONFIG',
  'SLUICE_URL',
  'SLUICE_SERVER_URL',
  'SLUICE_GATEWAY_URL',
  'SLUICE_TOKEN',
  'SLUICE_PROFILE',
  'SLUICE_PROFILES',
  'SLUICE_HDFS_HOME',
  'SLUICE_HDFS_VERSION',
  'SLUICE_BROKERS_HOME',
  'SLUICE_REAL_FILES',
  'SLUICE_REQUIRE',
  'SLUICE_NO_HDFS',
  'SLUICE_NO_BROKERS',
]

/** The variable of a setting: `SLUICE_SERVER_PORT` for `server.port`. */
export const toVariable = (key: string): string => `SLUICE_${key.toUpperCase().replace(/[.-]/g, '_')}`

/** Reads a YAML settings file, in which keys may be dotted, nested or both; null leaves a setting as it is. */
export const parseSettingsFile = (yaml: string, name: string): SourceValues => {
  if (yaml.length > maxFileChars) return toProblems(`${name}: longer than ${maxFileChars} characters`)
  const lines = new LineCounter()
  let root: unknown
  let lineOf: LineOf
  try {
    const document = parseDocument(yaml, { uniqueKeys: true, prettyErrors: true, lineCounter: lines })
    const messages = document.errors.map(error => `${name}: ${error.message.split('\n')[0]}`)
    if (messages.length > 0) return toProblems(...messages)
    root = document.toJS({ maxAliasCount: maxAliases })
    lineOf = path => {
      const node = document.getIn(path, true)
      return isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined
    }
  } catch (error) {
    // Too many aliases, or brackets nested so deep that the parser's stack ends.
    return toProblems(`${name}: ${error instanceof Error ? error.message : 'cannot be read'}`)
  }
  if (root === null || root === undefined) return toProblems()
  if (!isRecord(root)) return toProblems(`${name}: expected settings as \`key: value\``)
  return merge(flatten(root, [], name, lineOf))
}

/** Reads the variables that start with `SLUICE_`; unknown ones only warn, since Kubernetes makes some by itself. */
export const parseEnvironment = (env: Readonly<Record<string, string | undefined>>): SourceValues => {
  const keyOf = new Map(knownKeys.map(key => [toVariable(key), key]))
  const names = Object.keys(env).filter(
    name => name.startsWith('SLUICE_') && !name.startsWith(testPrefix) && !otherVariables.includes(name),
  )
  return {
    given: names.flatMap(name => {
      const key = keyOf.get(name)
      return key === undefined || env[name] === '' ? [] : [{ key, raw: env[name], source: name }]
    }),
    problems: [],
    warnings: names
      .filter(name => !keyOf.has(name))
      .map(name => `${name} is not a setting${toHint(nearest(name, settingKeys.map(toVariable)))}`),
  }
}

/** Reads `key=value` texts, as given after `--set`. */
export const parseAssignments = (assignments: readonly string[]): SourceValues =>
  merge(
    assignments.map(assignment => {
      const [, key, raw] = /^([^=]+)=(.*)$/s.exec(assignment) ?? []
      if (key === undefined) return toProblems(`--set ${shorten(assignment)}: expected key=value`)
      return toGiven(key.trim(), raw, '--set')
    }),
  )

/** The line of the value below these names. */
type LineOf = (path: readonly string[]) => number | undefined

const flatten = (
  map: Readonly<Record<string, unknown>>,
  path: readonly string[],
  source: string,
  lineOf: LineOf,
): SourceValues[] =>
  Object.entries(map).flatMap(([name, value]) => {
    const here = [...path, name]
    if (here.length > maxDepth) return [toProblems(`${source}: nested deeper than ${maxDepth} levels`)]
    if (value === null && isKeyOrSection(here.join('.'))) return []
    return isRecord(value) && !isMap(here.join('.'))
      ? flatten(value, here, source, lineOf)
      : [toGiven(here.join('.'), value, source, lineOf(here))]
  })

/** Whether the value of a setting is a map itself. */
const isMap = (path: string): boolean => isSettingKey(path) && settingOf(path).type === 'map'

/** A key without a value, or a section whose lines are all comments, says nothing. */
const isKeyOrSection = (path: string): boolean => knownKeys.some(key => key === path || key.startsWith(`${path}.`))

const toGiven = (key: string, raw: unknown, source: string, line?: number): SourceValues =>
  isSettingKey(key)
    ? { given: [{ key, raw, source, line }], problems: [], warnings: [] }
    : toProblems(
        `${toSourcePlace({ source, line })}: there is no setting ${shorten(key)}${toHint(nearest(key, settingKeys))}`,
      )

/** For people: where a value was given. */
export const toSourcePlace = ({ source, line }: Pick<Given, 'source' | 'line'>): string =>
  line === undefined ? source : `${source}, line ${line}`

const toHint = (known: string | undefined): string => (known === undefined ? '' : `; did you mean ${known}?`)

const shorten = (value: string): string => (value.length > 80 ? `${value.slice(0, 80)}…` : value)

const toProblems = (...problems: readonly string[]): SourceValues => ({ given: [], problems, warnings: [] })

const merge = (all: readonly SourceValues[]): SourceValues => ({
  given: all.flatMap(one => one.given),
  problems: all.flatMap(one => one.problems),
  warnings: all.flatMap(one => one.warnings),
})
