import { expect, test } from 'vitest'
import { renderDocsPage } from '../../src/contract/docs-page.ts'
import { isRecord } from '../../src/is-record.ts'
import { contract } from '../unit/contract/fixture.ts'

// What clients that are generated from the contract stumble over; test/interop/generators.test.ts makes such clients.

/** Every schema of the document where it has no name of its own. */
function* unnamed(node: unknown, at: string): Generator<{ at: string; schema: Readonly<Record<string, unknown>> }> {
  if (Array.isArray(node)) for (const [index, item] of node.entries()) yield* unnamed(item, `${at}/${index}`)
  if (!isRecord(node)) return
  const isNamed = /^\/components\/schemas\/[^/]+$/.test(at)
  if (!isNamed && ('type' in node || 'anyOf' in node || 'oneOf' in node || 'allOf' in node)) yield { at, schema: node }
  for (const [key, member] of Object.entries(node)) {
    if (key !== 'example' && key !== 'examples') yield* unnamed(member, `${at}/${key}`)
  }
}

test('every object of several fields has a name, and no schema is a choice of several', () => {
  const found = [...unnamed(contract.document, '')]
  expect(found.length).toBeGreaterThan(100)
  const wrong = found.filter(({ schema }) => isRecord(schema['properties']) || 'anyOf' in schema || 'oneOf' in schema)
  expect(wrong.map(({ at }) => at)).toEqual([])
})

test('no two names differ by case alone', () => {
  const places = [
    ...contract.operations.map(({ id, parameters }) => [id, parameters.map(({ name }) => name)] as const),
    ['operations', contract.operations.map(({ id }) => id)] as const,
    ['schemas', Object.keys(schemasOf(contract.document))] as const,
  ]
  for (const [place, names] of places) {
    expect({ place, names: new Set(names.map(name => name.replaceAll(/[-_]/g, '').toLowerCase())).size }).toEqual({
      place,
      names: names.length,
    })
  }
})

test('no value of an enumeration is called as a member that enumerations have themselves', () => {
  const values = contract.operations.flatMap(({ parameters }) => parameters.flatMap(({ schema }) => schema.enum ?? []))
  expect(values).toContain('size')
  expect(values.filter(value => ['name', 'ordinal', 'entries', 'values'].includes(value))).toEqual([])
})

test('the body of an upload has one binary type', () => {
  const upload = contract.operations.find(({ id }) => id === 'uploadFile')
  expect(Object.entries(upload?.requestContent ?? {}).map(([type, { schema }]) => [type, schema?.format])).toEqual([
    ['application/octet-stream', 'binary'],
  ])
})

test('events are posted as JSON for a generator, and the server takes all other media types as well', async () => {
  const keys = ['paths', '/rest/1.0/event', 'post', 'requestBody', 'content']
  const content = keys.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), contract.document)
  expect(isRecord(content) && Object.keys(content)).toEqual(['application/json'])
  const post = contract.operations.find(({ id }) => id === 'postEvent')
  const types = Object.keys(post?.requestContent ?? {})
  expect(types).toEqual([
    'application/json',
    'application/json+smile',
    'application/smile',
    'application/x-ndjson',
    'text/plain',
    'application/thrift',
    'application/octet-stream',
    'ning/*',
    'application/cloudevents+json',
    'application/cloudevents-batch+json',
    'text/csv',
    '*/*',
  ])
  const page = await renderDocsPage(contract, 'http://127.0.0.1:8080')
  for (const type of types) expect(page).toContain(`<code>${type}</code>`)
})

test('an answer has either JSON of one kind, or none', () => {
  const mixed = contract.operations.flatMap(({ id, answers }) =>
    answers
      .filter(({ content }) => 'application/json' in content && Object.keys(content).length > 1)
      .map(({ status }) => `${id} ${status}`),
  )
  expect(mixed).toEqual([])
  const bodies = ['getEventV1', 'getEventV2', 'postEvent'].map(id => {
    const operation = contract.operations.find(candidate => candidate.id === id)
    return Object.keys(operation?.answers.find(({ status }) => status === 202)?.content ?? {})
  })
  expect(bodies).toEqual([[], [], ['application/json']])
})

const schemasOf = (document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { components } = document
  return isRecord(components) && isRecord(components['schemas']) ? components['schemas'] : {}
}
