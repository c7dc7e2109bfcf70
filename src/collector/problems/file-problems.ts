import type { Problem } from '../problems.ts'

/** What is wrong with files that people write and the server reads again, as texts for people; empty where nothing is. */
export type FileProblems = { readonly tokens: string; readonly settings: string; readonly schemas: string }

type Rule = (problems: FileProblems) => Problem | undefined

const tokenFile: Rule = ({ tokens }) =>
  tokens === ''
    ? undefined
    : {
        item: 'TokenFileHealthCheck',
        part: 'server',
        code: 'WARN',
        word: 'Tokens',
        problem: tokens,
        since: undefined,
        meaning:
          'While the file is damaged the previous tokens stay valid; while it is missing all requests are refused.',
        advice: 'Fix the file; the server reads it again by itself.',
        command: 'sluice token create --help',
        runbook: 'docs/runbook.md#sluicetokenfile',
      }

const settingsFile: Rule = ({ settings }) =>
  settings === ''
    ? undefined
    : {
        item: 'SettingsFileHealthCheck',
        part: 'server',
        code: 'WARN',
        word: 'Settings',
        problem: `The changed settings are refused: ${settings}`,
        since: undefined,
        meaning: 'The previous settings remain in effect; a restart would fail.',
        advice: 'Fix the file; the server reads it again by itself.',
        command: 'sluice config',
        runbook: 'docs/runbook.md#sluicesettingsrefused',
      }

const schemaFiles: Rule = ({ schemas }) =>
  schemas === ''
    ? undefined
    : {
        item: 'SchemaFilesHealthCheck',
        part: 'server',
        code: 'WARN',
        word: 'Schemas',
        problem: schemas,
        since: undefined,
        meaning:
          'A schema that cannot be used leaves the one of before in effect; events that are not compared are kept.',
        advice: 'Fix the file; the server reads it again by itself.',
        command: 'sluice schema check --help',
        runbook: 'docs/runbook.md#sluiceschemafiles',
      }

/** One problem for each file that has one. */
export const toFileProblems = (problems: FileProblems): readonly Problem[] =>
  [tokenFile, settingsFile, schemaFiles].flatMap(rule => rule(problems) ?? [])
