import { type DeclaredAnswer, type Operation, type Parameter, toContract } from '../../../src/contract/contract.ts'
import { describeSchema } from '../../../src/contract/describe.ts'
import { readContract } from '../contracts.ts'
import { toTable } from '../markdown-table.ts'

/** Every operation of a contract, by its tags. */
export const apiReference = (name: 'openapi' | 'openapi-admin' = 'openapi'): string => {
  const { tags, operations } = toContract(readContract(name))
  return tags
    .map(({ name: tag, description }) =>
      [`## ${tag}`, description.trim(), ...operations.filter(one => one.tag === tag).map(toSection)].join('\n\n'),
    )
    .join('\n\n')
}

const toSection = (operation: Operation): string =>
  [
    `### ${operation.method} ${operation.path.replaceAll('{', '').replaceAll('}', '')}`,
    `**${operation.summary.replace(/\.$/, '')}.**${operation.role === undefined ? '' : ` Role: \`${operation.role}\`.`} Operation \`${operation.id}\`.`,
    operation.description.trim(),
    toParameterTable(operation.parameters),
    toBodyTable(operation),
    toTable(['Answer', '', 'Content'], operation.answers.map(toAnswerRow)),
  ]
    .filter(part => part !== '')
    .join('\n\n')

const toParameterTable = (parameters: readonly Parameter[]): string =>
  parameters.length === 0
    ? ''
    : toTable(
        ['Parameter', 'Accepts', 'Meaning'],
        parameters.map(({ name, in: place, required, schema, description }) => [
          `\`${name}\`${place === 'query' ? '' : ` (${place})`}${required ? ', required' : ''}`,
          `${describeSchema(schema)}${schema.default === undefined ? '' : `; default \`${String(schema.default)}\``}`,
          description,
        ]),
      )

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
