import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Operation } from '../../../src/contract/contract.ts'
import { loadContract, loadPart } from '../../../src/contract/load.ts'
import { contract, createTinyContract, parseContract } from './fixture.ts'

const yaml = readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8')

test('parseContract finds the operations of the tree', () => {
  expect(contract.operations.map(({ method, path, id }) => `${method} ${path} ${id}`)).toMatchInlineSnapshot(`
    [
      "GET /1 getEventV1",
      "GET /2 getEventV2",
      "POST /rest/1.0/event postEvent",
      "POST /v1/logs postOtlpLogs",
      "GET /v1/projects/{key} getSegmentSettings",
      "POST /v1/{call} postSegment",
      "GET /sourceConfig getRudderStackSettings",
      "POST /beacon/v1/batch postRudderStackBeacon",
      "POST /com.snowplowanalytics.snowplow/tp2 postSnowplow",
      "GET /i getSnowplow",
      "POST /batch postPostHogBatch",
      "POST /capture postPostHogCapture",
      "POST /e postPostHogE",
      "POST /i/v0/e postPostHogEvent",
      "POST /firehose postFirehose",
      "GET /array/{key} getPostHogSettings",
      "POST /flags postPostHogFlags",
      "POST /decide postPostHogDecide",
      "GET /rest/1.0/hdfs browse",
      "POST /rest/1.0/hdfs submitForm",
      "GET /rest/1.0/json readJson",
      "GET /rest/1.0/text readText",
      "GET /rest/1.0/binary readBinary",
      "GET /files/{path} readFile",
      "GET /rest/1.0/viewer viewObject",
      "POST /rest/1.0 uploadFile",
      "DELETE /rest/1.0 deletePath",
      "GET /webhdfs/v1/{path} webHdfsGet",
      "POST /webhdfs/v1/{path} webHdfsPost",
      "PUT /webhdfs/v1/{path} webHdfsPut",
      "DELETE /webhdfs/v1/{path} webHdfsDelete",
      "GET /iceberg/v1/config icebergConfig",
      "GET /iceberg/v1/{path} icebergGet",
      "GET /iceberg/files/{path} icebergFile",
      "GET / openRoot",
      "GET /login getLogin",
      "POST /login postLogin",
      "POST /logout postLogout",
      "GET /static/pages.css getPageStyle",
      "GET /static/pages.js getPageScript",
      "GET /1.0/healthcheck getHealth",
      "GET /livez getLiveness",
      "GET /readyz getReadiness",
      "GET /openapi.json getContract",
      "GET /docs getDocs",
    ]
  `)
})

test('parseContract resolves references and keeps the document as written', () => {
  const [getEventV1] = contract.operations
  expect(getEventV1?.parameters.map(({ name }) => name)).toEqual(['v', 'date', 'gr'])
  expect(getEventV1?.answers.map(({ status }) => status)).toEqual([202, 400, 401, 403, 405, 414, 429, 431, 500, 503])
  expect(JSON.stringify(contract.document)).toContain('#/components/parameters/V1')
})

test('loadPart has the operations of its tags, as the whole contract has them, and no others', () => {
  const plain = (operation: Operation) => ({
    ...operation,
    parameters: operation.parameters.map(parameter => ({ ...parameter, validator: undefined })),
  })
  const ofAll = loadContract().operations.filter(({ tag }) => tag === 'events')
  expect(loadPart(['events']).operations.map(plain)).toEqual(ofAll.map(plain))
  expect(ofAll.length).toBeGreaterThan(1)
  expect(loadPart([]).operations).toEqual([])
})

test('parseContract freezes what it gives', () => {
  expect(Object.isFrozen(contract.operations)).toBe(true)
  expect(contract.operations.every(operation => Object.isFrozen(operation))).toBe(true)
})

test.each([
  { name: 'no object', text: '7', want: 'The contract is not an object' },
  { name: 'another version', text: yaml.replace('openapi: 3.1.0', 'openapi: 3.0.3'), want: 'openapi' },
  {
    name: 'a missing reference',
    text: yaml.replaceAll('parameters/V1', 'parameters/V9'),
    want: 'has no "#/components/parameters/V9"',
  },
  {
    name: 'an operation twice',
    text: yaml.replace('operationId: getEventV2', 'operationId: getEventV1'),
    want: 'two operations "getEventV1"',
  },
  {
    name: 'a reference to itself',
    text: yaml.replace(
      "description: '`true` gives the web page",
      "x: { $ref: '#/paths' }\n          description: '`true` gives the web page",
    ),
    want: 'nests more than',
  },
  { name: 'an unusable pattern', text: yaml.replace("'^[ -~]+$'", "'['"), want: 'Parameter "Idempotency-Key"' },
])('parseContract refuses $name', ({ text, want }) => {
  expect(() => parseContract(text)).toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(want) }),
  )
})

test('parseContract names what is malformed', () => {
  expect(() => createTinyContract('{ name: x, in: body, description: X., schema: { type: string } }')).toThrow(
    /parameters\[0\]\.in/,
  )
})

test('what references name is checked once, and is the same in each place', () => {
  const bodies = contract.operations.flatMap(({ answers }) => answers.filter(({ status }) => status === 429))
  expect(bodies.length).toBeGreaterThan(10)
  expect(new Set(bodies.map(({ content }) => content)).size).toBe(1)
})

test('a malformed component is named where it is used', () => {
  const text = yaml.replace(/^ {4}V1:\n {6}name: v\n/m, '    V1:\n      name: 1\n')
  expect(text).not.toBe(yaml)
  expect(() => parseContract(text)).toThrow(
    /expected string, received number\s+→ at paths\S*\.get\.parameters\[0\]\.name/,
  )
})
