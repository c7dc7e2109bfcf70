/** Each message that people meet is in the tables of docs/reference/errors.md: with its cause, what Sluice does, and what to do. */
import { describe, expect, test } from 'vitest'
import { errorsOfRooms } from '../../admin/cli/command/failure.ts'
import { collectMessages, readMessages } from '../../scripts/generate/messages/collect.ts'
import { beanAdvice, commandAdvice } from '../../scripts/generate/messages/command-rows.ts'
import {
  beanMessages,
  commandMessages,
  httpMessages,
  logMessages,
  logTable,
  messageTexts,
  startTable,
} from '../../scripts/generate/messages/print.ts'
import { startMessages } from '../../scripts/generate/messages/start-rows.ts'
import { textAdvice } from '../../scripts/generate/messages/text-rows.ts'
import { exitCodeTable, rpcErrors } from '../../scripts/generate/reference/errors.ts'
import { errorTable } from '../../src/errors.ts'
import { accents } from '../tidy/words.ts'

const { messages, texts } = collectMessages()
const textsOf = (...kinds: readonly string[]): readonly string[] => [
  ...new Set(messages.flatMap(({ kind, text }) => (kinds.includes(kind) && text !== undefined ? [text] : []))),
]
const rows = [...logMessages, ...startMessages]

/** Where a text is made elsewhere: it is on the list by that place, or the words of a setting, or passed on. */
const passedOn = [
  'src/app/reload.ts',
  'src/app/run.ts',
  'src/cluster-tokens/cluster-tokens.ts',
  'src/compaction/hourly/pass-process.ts',
  'src/edges/edge-worker.ts',
  'src/http/auth/token-source.ts',
  'src/log/log.ts',
  'src/readers/reader.ts',
  'src/spool/heartbeat/outage.ts',
  'src/spool/keys/row-files.ts',
]

describe('the tables', () => {
  test('have each line of the log from warn on', () => {
    expect(textsOf('log').length).toBeGreaterThan(75)
    expect(textsOf('log').filter(text => !logMessages.some(({ says }) => says === text))).toEqual([])
  })

  test('have each reason why a server does not start', () => {
    const found = textsOf('ListenError', 'KerberosError')
    expect(found.length).toBeGreaterThan(8)
    expect(found.filter(text => !startMessages.some(({ says }) => says === text))).toEqual([])
  })

  test('have each code of a command', () => {
    const own = messages.filter(({ kind }) => ['CliError', 'usageError', 'fail'].includes(kind))
    const ofErrors = Object.values(errorsOfRooms).map(([code]) => code)
    const codes = new Set([...ofErrors, ...own.flatMap(({ code = 'failed' }) => code.split(', '))])
    const known = [...Object.keys(commandAdvice), ...Object.keys(errorTable)]
    expect([...codes].filter(code => !known.includes(code))).toEqual([])
  })

  test('have each code of a bean', () => {
    const codes = messages.flatMap(({ kind, code }) => (kind === 'BeanError' && code !== undefined ? [code] : []))
    expect([...new Set(codes)].sort()).toEqual(Object.keys(beanAdvice).sort())
  })

  test('have nothing that the sources do not have', () => {
    expect(rows.map(({ says }) => says).filter(says => !texts.has(says))).toEqual([])
    expect(new Set(rows.map(({ says }) => says)).size).toBe(rows.length)
    const printed = new Set(messages.map(({ text = '' }) => text))
    expect(Object.keys(textAdvice).filter(text => !printed.has(text))).toEqual([])
  })

  test('know which lines of the log are made elsewhere', () => {
    const unknown = messages.filter(({ kind, text }) => kind === 'log' && text === undefined).map(({ file }) => file)
    expect([...new Set(unknown)]).toEqual(passedOn)
  })
})

test.each(
  Object.entries({
    httpMessages,
    logTable,
    startTable,
    exitCodeTable,
    commandMessages,
    rpcErrors,
    beanMessages,
    messageTexts: () => messageTexts(messages),
  }),
)('each row of %s says what to do', (_, print) => {
  const [head, , ...lines] = print().split('\n')
  expect(head).toMatch(/ What to do \|$/)
  expect(lines.filter(line => /\| +\|$/.test(line))).toEqual([])
})

test('messages speak plainly', () => {
  const found = messages.flatMap(({ text = '', hint = '', file }) =>
    accents.flatMap(({ name, pattern, isOfPagesAlone }) =>
      !isOfPagesAlone && `${text} ${hint}`.match(pattern) ? [`${file}: "${name}" in "${text}"`] : [],
    ),
  )
  expect(found).toEqual([])
})

describe('reads', () => {
  const file = 'admin/cli/a.ts'

  test.each([
    ["new SluiceError('denied', 'No')", 'SluiceError', 'denied', 'No', undefined],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of a source
    ["new FileSystemError('exists', path, `a ${b} c`)", 'FileSystemError', 'exists', 'a … c', undefined],
    ["new CliError('No', { code: 'usage', hint: 'Do' })", 'CliError', 'usage', 'No', 'Do'],
    ["usageError('No', 'Do')", 'usageError', 'usage', 'No', 'Do'],
    ["fail('No', 'left')", 'fail', 'left', 'No', undefined],
    ["logger.warn({}, 'No')", 'log', undefined, 'No', undefined],
    ["const text = 'No'\nlog?.error({}, text)", 'log', undefined, 'No', undefined],
    ["log[level]({}, 'No')", 'log', undefined, 'No', undefined],
    ["createOutage({ begins: 'No' })", 'log', undefined, 'No', undefined],
    ['log.warn({}, text)', 'log', undefined, undefined, undefined],
  ])('%s', (source, kind, code, text, hint) => {
    expect(readMessages(file, source)).toEqual([{ kind, code, text, hint, file }])
  })

  test('both texts of a choice', () => {
    expect(readMessages('a.ts', "log.warn({}, a ? 'b' : 'c')").map(({ text }) => text)).toEqual(['b', 'c'])
  })

  test.each(["log.info({}, 'No')", "new Date('No')", "log.warn('No')", "fail('No', 'left')"])(
    'nothing of %s',
    source => {
      expect(readMessages('a.ts', source)).toEqual([])
    },
  )
})
