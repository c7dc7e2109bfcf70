import { type DeclaredAnswer, type Operation, type Parameter, toContract } from '../../../src/contract/contract.ts'
import { describeSchema } from '../../../src/contract/describe.ts'
import { readContract } from '../contracts.ts'
import { toTable } from '../markdown-table.ts'
import { findSharedRows, splitRows } from './shared-rows.ts'

/** Every operation of a contract, by its tags. */
export const apiReference = (name: 'openapi' | 'openapi-admin' = 'openapi'): string => {
  const { tags, operations } = toContract(readContract(name))
  const shared: Shared = {
    answers: findSharedRows(operations.map(({ answers }) => answers.map(toAnswerRow))),
    parameters: findSharedRows(operations.map(({ parameters }) => parameters.map(toParameterRow))),
  }
  const parts = tags.map(({ name: tag, description }) =>
    [
      `## ${tag}`,
      description.trim(),
      ...operations.filter(one => one.tag === tag).map(one => toSection(one, shared)),
    ].join('\n\n'),
  )
  return [
    ...parts,
    '## Common parameters',
    'Operations name those of these that they take.',
    toTable(parameterHead, shared.parameters),
    '## Common answers',
    'Operations name those of these that they give.',
    toTable(answerHead, shared.answers),
  ].join('\n\n')
}

/** Rows that are said once for all operations. */
type Shared = { readonly answers: readonly (readonly string[])[]; readonly parameters: readonly (readonly string[])[] }

const parameterHead = ['Parameter', 'Accepts', 'Meaning']

const answerHead = ['Answer', '', 'Content']

const toSection = (operation: Operation, shared: Shared): string =>
  [
    `### ${operation.method} ${operation.path.replaceAll('{', '').replaceAll('}', '')}`,
    `**${operation.summary.replace(/\.$/, '')}.**${operation.role === undefined ? '' : ` Role: \`${operation.role}\`.`} Operation \`${operation.id}\`.`,
    operation.description.trim(),
    toParameters(operation, shared),
    toBodyTable(operation),
    toAnswers(operation, shared),
  ]
    .filter(part => part !== '')
    .join('\n\n')

const toAnswers = ({ answers }: Operation, shared: Shared): string => {
  const { own, names } = splitRows(answers.map(toAnswerRow), shared.answers)
  return [
    ...(own.length === 0 ? [] : [toTable(answerHead, own)]),
    ...(names.length === 0 ? [] : [`[Common answers](#common-answers): ${names.join(', ')}.`]),
  ].join('\n\n')
}

const toParameters = ({ parameters }: Operation, shared: Shared): string => {
  const { own, names } = splitRows(parameters.map(toParameterRow), shared.parameters)
  return [
    ...(own.length === 0 ? [] : [toTable(parameterHead, own)]),
    ...(names.length === 0 ? [] : [`[Common parameters](#common-parameters): ${names.join(', ')}.`]),
  ].join('\n\n')
}

const toParameterRow = ({ name, in: place, required, schema, description }: Parameter): readonly string[] => [
  `\`${name}\`${place === 'query' ? '' : ` (${place})`}${required ? ', required' : ''}`,
  `${describeSchema(schema)}${schema.default === undefined ? '' : `; default \`${String(schema.default)}\``}`,
  description,
]

const toBodyTable = ({ requestContent }: Operation): string => {
  const types = Object.entries(requestContent)
  return types.length === 0
    ? ''
    : toTable(
        ['Body', 'Meaning'],
        types.map(([type, { schema }]) => [`\`${type}\``, schema?.description ?? '']),
      )
}

const toAnswerRow = ({ status, description, content, headers }: DeclaredAnswer): readonly string[] => [
  String(status),
  description,
  [...Object.keys(content).map(type => `\`${type}\``), ...headers.map(({ name }) => `header \`${name}\``)].join(', '),
]
