import { isRecord } from '../is-record.ts'
import { knownKeys, retiredKeys, type SettingKey, type Settings, settingKeys, settingOf } from './table.ts'

/** Replaces a secret. */
export const hidden = '(hidden)'

/** The settings as Markdown, a table for each section of a settings file; `docs/reference/settings.md` holds exactly this. */
export const settingsReference = (): string =>
  [...Map.groupBy(settingKeys, toSection)]
    .map(([section, keys]) => [`## \`${section}\``, '', ...tableHead, ...keys.map(toTableRow)].join('\n'))
    .join('\n\n')

/** The settings that the next version does not know, as Markdown. */
export const retiredReference = (): string =>
  [
    '| key | since | live | what takes its place |',
    '|---|---|---|---|',
    ...retiredKeys.map(key => {
      const { retired, live, sentence } = settingOf(key)
      return `| \`${key}\` | ${retired?.since} | ${live ? 'yes' : ''} | ${toCell(sentence)} |`
    }),
  ].join('\n')

/** A search of the documents finds headings: the collector's, the longest list, are split by their second word. */
const toSection = (key: string): string => {
  const [first = '', second = '', ...more] = key.split('.')
  return first === 'collector' && more.length > 0 ? `${first}.${second}` : first
}

const tableHead = ['| key | type | default | live | |', '|---|---|---|---|---|']

const toTableRow = (key: SettingKey): string => {
  const { type, unit, sentence, live } = settingOf(key)
  return `| \`${key}\` | ${toCell(unit === undefined ? type : `${type}, ${unit}`)} | ${toCell(toDefaultText(key))} | ${live ? 'yes' : ''} | ${toCell(sentence)} |`
}

/** The settings as lines for `--help`. */
export const settingsHelp = (): string => {
  const width = Math.max(...settingKeys.map(key => key.length))
  return settingKeys
    .map(
      key =>
        `  ${key.padEnd(width)}  ${settingOf(key).sentence.replaceAll('`', '')} [${toDefaultText(key).replaceAll('`', '')}]${settingOf(key).live ? ' (live)' : ''}`,
    )
    .join('\n')
}

/** A setting's value as text for people, logs and beans; secrets, and passwords and queries of URLs, are hidden. */
export const toPrintable = (settings: Settings, key: SettingKey): string => {
  const value: unknown = settings[key]
  if (value === undefined) return ''
  if (settingOf(key).secret) return hidden
  if (key === 'clusters') {
    return JSON.stringify(settings[key], (name, part: unknown) =>
      name === 'token' && part !== undefined ? hidden : typeof part === 'string' ? hideInUrl(part) : part,
    )
  }
  return (Array.isArray(value) ? value : [value]).map(one => hideInUrl(toText(one))).join(',')
}

/** The settings for people: those in use, and retired ones that were given. */
export const toPrintables = (settings: Settings): Readonly<Record<string, string>> =>
  Object.fromEntries(
    knownKeys
      .filter(key => settingOf(key).retired === undefined || settings[key] !== settingOf(key).default)
      .map(key => [key, toPrintable(settings, key)]),
  )

const toDefaultText = (key: SettingKey): string => {
  const setting = settingOf(key)
  if (setting.defaultText !== undefined) return setting.defaultText
  if (setting.default === undefined || setting.default === '') return '–'
  const written = setting.type === 'size' ? toSizeText(Number(setting.default)) : toText(setting.default)
  return written === '' ? '–' : `\`${written}\``
}

const toText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(toText).join(',')
  if (isRecord(value)) return toText(Object.entries(value).map(([name, of]) => `${name}=${toText(of)}`))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const toSizeText = (bytes: number): string => (bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20}MiB` : String(bytes))

/** A password may hold anything but what ends it, a comma and further `@` included; a query may hold a token. */
const hideInUrl = (text: string): string =>
  text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${hidden}@`)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^?#]*\?).*/is, `$1${hidden}`)

const toCell = (cell: string): string => cell.replaceAll('|', '\\|')
