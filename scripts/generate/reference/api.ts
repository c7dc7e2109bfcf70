import { type DeclaredAnswer, type Operation, type Parameter, toContract } from '../../../src/contract/contract.ts'
import { describeSchema } from '../../../src/contract/describe.ts'
import { readContract } from '../contracts.ts'
import { toTable } from '../markdown-table.ts'
import { type SharedRows, shareRows } from './shared-rows.ts'

/** Every operation of a contract, by its tags. */
export const apiReference = (name: 'openapi' | 'openapi-admin' = 'openapi'): string => {
  const { tags, operations } = toContract(readContract(name))
  const parameters = shareRows(
    'parameters',
    ['Parameter', 'Accepts', 'Meaning'],
    'Operations name those of these that they take.',
    operations.map(one => one.parameters.map(toParameterRow)),
  )
  const answers = shareRows(
    'answers',
    ['Answer', '', 'Content'],
    'Operations name those of these that they give.',
    operations.map(one => one.answers.map(toAnswerRow)),
  )
  const parts = tags.map(({ name: tag, description }) =>
    [
      `## ${tag}`,
      description.trim(),
      ...operations.filter(one => one.tag === tag).map(one => toSection(one, { parameters, answers })),
    ].join('\n\n'),
  )
  return [...parts, parameters.section, answers.section].join('\n\n')
}

type Shared = { readonly parameters: SharedRows; readonly answers: SharedRows }

const toSection = (operation: Operation, shared: Shared): string =>
  [
    `### ${operation.method} ${operation.path.replaceAll('{', '').replaceAll('}', '')}`,
    `**${operation.summary.replace(/\.$/, '')}.**${operation.role === undefined ? '' : ` Role: \`${operation.role}\`.`} Operation \`${operation.id}\`.`,
    operation.description.trim(),
    shared.parameters.toOwn(operation.parameters.map(toParameterRow)),
    toBodyTable(operation),
    shared.answers.toOwn(operation.answers.map(toAnswerRow)),
  ]
    .filter(part => part !== '')
    .join('\n\n')

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
