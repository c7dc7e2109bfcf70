/** Tables of messages for `docs/reference/errors.md`. */
import { causeTitles, type ErrorCause, type ErrorCode, errorTable } from '../../../src/errors.ts'
import { toTable } from '../markdown-table.ts'
import type { Advice, MessageAdvice } from './advice.ts'
import { collectMessages, type FoundMessage } from './collect.ts'
import { beanAdvice, commandAdvice } from './command-rows.ts'
import { causeAdvice, httpAdvice } from './http-rows.ts'
import { serverLog } from './server-log-rows.ts'
import { spoolLog } from './spool-log-rows.ts'
import { startMessages } from './start-rows.ts'
import { systemLog } from './system-log-rows.ts'
import { takeoverLog } from './takeover-log-rows.ts'
import { textAdvice } from './text-rows.ts'

const columns = ['Cause', 'What Sluice does', 'What to do']
const toCells = ({ why, now, todo }: Advice): string[] => [why, now, todo]
const keysOf = Object.keys as <K extends string>(of: Readonly<Record<K, unknown>>) => K[]

/** All lines of the log from `warn` on. */
export const logMessages: readonly MessageAdvice[] = [...serverLog, ...systemLog, ...spoolLog, ...takeoverLog]

/** Codes and titles over HTTP, by their status. */
export const httpMessages = (): string =>
  toTable(
    ['Code', 'Status', '`title`', ...columns],
    [
      ...keysOf<ErrorCode>(errorTable).map(code => [
        `\`${code}\``,
        String(errorTable[code].status),
        errorTable[code].title,
        ...toCells(httpAdvice[code]),
      ]),
      ...keysOf<ErrorCause>(causeTitles).map(cause => ['', '503', causeTitles[cause], ...toCells(causeAdvice[cause])]),
    ],
  )

export const beanMessages = (): string =>
  toTable(
    ['`data.code`', ...columns],
    Object.entries(beanAdvice).map(([code, advice]) => [`\`${code}\``, ...toCells(advice)]),
  )

export const commandMessages = (): string =>
  toTable(
    ['`code`', ...columns],
    Object.entries(commandAdvice).map(([code, advice]) => [`\`${code}\``, ...toCells(advice)]),
  )

export const startTable = (): string => toMessageTable(startMessages)
export const logTable = (): string => toMessageTable(logMessages)

const toMessageTable = (rows: readonly MessageAdvice[]): string =>
  toTable(
    ['Message', ...columns],
    rows.map(row => [toCode(row.says), ...toCells(row)]),
  )

/** Every `detail` and message that the sources have, with its codes. */
export const messageTexts = (found: readonly FoundMessage[] = collectMessages().messages): string => {
  const rows = found.filter(({ kind, text }) => !ownTables.has(kind) && isSearched(text))
  const texts = [...Map.groupBy(rows, ({ text = '' }) => text)].sort(([one], [other]) => (one < other ? -1 : 1))
  return toTable(
    ['Message', 'Code', 'What to do'],
    texts.map(([text, same]) => [
      toCode(text),
      unique(same.flatMap(toCodes)).join(', '),
      textAdvice[text] ?? toRemedies(same),
    ]),
  )
}

const toCodes = ({ code }: FoundMessage): readonly string[] => code?.split(', ') ?? []

/** Its hints, else what to do about each of its codes. */
const toRemedies = (same: readonly FoundMessage[]): string => {
  const found = same.flatMap(message =>
    isSearched(message.hint) ? [message.hint ?? ''] : toCodes(message).map(code => adviceOf(message.kind, code)),
  )
  return unique(found.map(text => text.replace(/\.$/, ''))).join('; ') || commandAdvice['failed']?.todo || ''
}

/** The same code may mean something else to a command than over HTTP. */
const adviceOf = (kind: string, code: string): string => {
  const own = kind === 'BeanError' ? beanAdvice : isOfCommand(kind) ? commandAdvice : httpAdvice
  const advice: Readonly<Record<string, Advice>> = { ...beanAdvice, ...commandAdvice, ...httpAdvice, ...own }
  return advice[kind === 'TableError' ? 'table' : code]?.todo ?? ''
}

const isOfCommand = (kind: string): boolean => kind === 'CliError' || kind === 'usageError' || kind === 'fail'
const unique = (texts: readonly string[]): string[] => [...new Set(texts)].filter(text => text !== '')

/** Kinds of messages that have a row each. */
const ownTables: ReadonlySet<string> = new Set(['log', 'ListenError', 'KerberosError'])

/** Whether it has words of its own; others are made of messages that have. */
const isSearched = (text: string | undefined): boolean => /\p{L}{3,}.*\p{L}{2,}/u.test(text ?? '')

const toCode = (text: string): string =>
  text.includes('`') ? `\`\` ${text} \`\`` : `\`${text.replaceAll('\n', ' ')}\``
