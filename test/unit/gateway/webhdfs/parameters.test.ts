/** The names of parameters, which Hadoop reads in any case. */
import { describe, expect, test } from 'vitest'
import type { Operation, Parameter } from '../../../../src/contract/contract.ts'
import { loadContract } from '../../../../src/contract/load.ts'
import { createRequestCheck } from '../../../../src/contract/request-check.ts'
import { toDataAddress } from '../../../../src/gateway/webhdfs/address.ts'

const operations = loadContract().operations.filter(({ tag }) => tag === 'webhdfs')
const rows = operations.flatMap(operation =>
  operation.parameters.flatMap(parameter => (parameter.in === 'query' ? [{ operation, parameter }] : [])),
)

const read = (operation: Operation, query: string) =>
  createRequestCheck(operation)(`/webhdfs/v1/f?${query}`, () => undefined)

/** A value that is not the parameter's default. */
const toSample = ({ schema }: Parameter): string => {
  const [choice] = schema.enum ?? []
  if (choice !== undefined) return choice
  if (schema.type === 'boolean') return String(schema.default !== true)
  const values = ['7', 'r-x', 'true', '/a', 'a']
  const found = values.find(value => (schema.pattern === undefined ? true : new RegExp(schema.pattern).test(value)))
  if (found === undefined) throw new Error(`no sample for ${schema.pattern}`)
  return found
}

const toEscaped = (name: string): string => Buffer.from(name).toString('hex').replaceAll(/../g, '%$&')

describe('a parameter has its name in any case', () => {
  test('there are some of each operation', () => {
    const ids = new Set(rows.map(({ operation: { id } }) => id))
    expect(ids).toEqual(new Set(['webHdfsGet', 'webHdfsPut', 'webHdfsPost', 'webHdfsDelete']))
  })

  test.each(rows.map(({ operation, parameter }) => ({ id: operation.id, name: parameter.name, operation, parameter })))(
    '$id $name',
    ({ name, operation, parameter }) => {
      const op = operation.parameters.find(one => one.name === 'op')
      const rest = name === 'op' || op === undefined ? '' : `&Op=${toSample(op)}`
      const value = toSample(parameter)
      const wanted = read(operation, `${name}=${value}${rest}`)
      expect(Object.keys(wanted)).toContain(name)
      expect(wanted[name]).not.toEqual(parameter.schema.default)
      const upper = name.toUpperCase()
      for (const spelling of [upper, name.toLowerCase(), `${upper[0]}${name.slice(1)}`, toEscaped(upper)]) {
        expect(read(operation, `${spelling}=${value}${rest}`), spelling).toEqual(wanted)
      }
    },
  )
})

test('of a name in several cases the first counts', () => {
  const [operation] = operations
  if (operation === undefined) throw new Error('none')
  expect(read(operation, 'op=OPEN&OFFSET=1&offset=2')).toMatchObject({ offset: 1 })
})

describe('the address where the bytes are', () => {
  const address = (query: string) =>
    toDataAddress({
      target: `/webhdfs/v1/f${query}`,
      secure: false,
      header: name => (name === 'host' ? 'host:1' : undefined),
    })

  test.each([
    ['?op=CREATE&note=why?&permission=600', '?op=CREATE&note=why?&permission=600&data=true'],
    ['?op=CREATE&a=?b?c&d=e=f', '?op=CREATE&a=?b?c&d=e=f&data=true'],
    ['?NOREDIRECT=true&op=OPEN&Data=false&offset=3', '?op=OPEN&offset=3&data=true'],
    ['?op=OPEN&no%72edirect=true&noredirect&data', '?op=OPEN&data=true'],
    ['?op=OPEN&noredirects=1&mydata=2', '?op=OPEN&noredirects=1&mydata=2&data=true'],
    ['?op=OPEN&a=%3F%26+', '?op=OPEN&a=%3F%26+&data=true'],
    ['?op=OPEN#here', '?op=OPEN&data=true'],
  ])('%s becomes %s', (sent, wanted) => {
    expect(address(sent)).toBe(`http://host:1/webhdfs/v1/f${wanted}`)
  })
})
