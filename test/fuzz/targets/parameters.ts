import { loadContract } from '../../../src/contract/load.ts'
import { createRequestCheck } from '../../../src/contract/request-check.ts'
import { tried } from '../tried.ts'

/** Query and headers of every operation: the first line is the query, each other one a header. */
export const name = 'parameters'

const { operations } = loadContract()
const checks = operations.map(operation => ({ operation, check: createRequestCheck(operation) }))
const parameters = operations.flatMap(operation => operation.parameters)

const choices = parameters.flatMap(({ schema }) => schema.enum ?? []).map(String)
const syntax = ['%', '%2', '%00', '%2F', '%c3%a9', '%FF', '+', '&', '=', '#', ';', '?', '\n', ': ', '\u0000', '💧']
const headers = ['accept: ', 'content-type: ', 'text/*;q=0', '*/*;q=0.1', 'application/json', 'bytes=0-', 'W/"1-2"']

export const dictionary = [
  ...new Set([...parameters.map(parameter => `${parameter.name}=`), ...choices, ...syntax, ...headers]),
]

/** One query with all parameters of each operation, as their examples or defaults say. */
export const corpus = (): Uint8Array[] =>
  operations
    .filter(operation => operation.parameters.length > 0)
    .map(operation => {
      const toPair = (one: (typeof parameters)[number], sign: string): string =>
        `${one.name}${sign}${String(one.example ?? one.schema.default ?? '1')}`
      const inQuery = operation.parameters.filter(one => one.in === 'query').map(one => toPair(one, '='))
      const inHeader = operation.parameters.filter(one => one.in === 'header').map(one => toPair(one, ': '))
      return Buffer.from([inQuery.join('&'), ...inHeader, 'accept: application/json'].join('\n'))
    })

/** What an operation is given has the type that the contract says; all else is refused. */
export const run = (bytes: Uint8Array): void => {
  const [query = '', ...lines] = Buffer.from(bytes).toString('utf8').split('\n')
  const given = new Map(
    lines.map(line => [line.split(':', 1).join('').toLowerCase(), line.slice(line.indexOf(':') + 1)]),
  )
  for (const { operation, check } of checks) {
    const values = tried(() => check(`/x?${query}`, header => given.get(header)?.trim()))
    for (const [key, value] of Object.entries(values ?? {})) {
      const parameter = operation.parameters.find(one => one.name === key)
      if (!parameter?.validator.safeParse(value).success) throw new Error(`${operation.id}: ${key} is ${String(value)}`)
    }
  }
}
