import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTestGateway, type TestGateway } from '../suites/gateway.ts'
import { type AskWebHdfs, createAskWebHdfs, remoteOf } from '../suites/webhdfs.ts'
import { contract } from '../unit/contract/fixture.ts'

/** The rows of the table in `docs/webhdfs.md`, one for each operation. */
const rows = [
  ...readFileSync('docs/webhdfs.md', 'utf8').matchAll(/^\| (`[A-Z_`, ]+`) \| (\S[^|]*) \| (\S[^|]*) \| /gm),
].flatMap(([, names = '', embedded = '', hdfs = '']) =>
  names.split(', ').map(name => ({ op: name.replaceAll('`', ''), embedded, hdfs })),
)

/** The operations of the contract, by the method that has them. */
const declared = contract.operations
  .filter(({ tag }) => tag === 'webhdfs')
  .flatMap(({ method, parameters }) =>
    (parameters.find(({ name }) => name === 'op')?.schema.enum ?? []).map(op => ({ method, op })),
  )

test('the table has every operation of the contract, once', () => {
  expect(rows.map(({ op }) => op).sort()).toEqual(declared.map(({ op }) => op).sort())
  for (const { embedded, hdfs } of rows) {
    expect(['here', 'proven', 'no']).toContain(embedded)
    expect(['here', 'proven', 'passed on', 'no']).toContain(hdfs)
  }
})

/** Those that the contract says have no body. */
const emptyOps = new Set(
  Object.values(
    z
      .looseObject({
        paths: z.looseObject({
          '/webhdfs/v1/{path}': z.record(
            z.string(),
            z.looseObject({
              responses: z.looseObject({ '200': z.looseObject({ 'x-sluice-empty': z.array(z.string()) }) }),
            }),
          ),
        }),
      })
      .parse(contract.document).paths['/webhdfs/v1/{path}'],
  ).flatMap(({ responses }) => responses['200']['x-sluice-empty']),
)

test('what is declared to have no body is an operation', () => {
  expect(emptyOps.size).toBeGreaterThan(20)
  expect([...emptyOps].filter(op => !declared.some(one => one.op === op))).toEqual([])
})

describe('the embedded file system does what the table says', () => {
  let gateway: TestGateway
  let ask: AskWebHdfs
  beforeAll(async () => {
    // The one of the settings.
    gateway = await createTestGateway({ fileSystem: null, settings: ['gateway.readers=0'] })
    ask = createAskWebHdfs(gateway)
  })
  afterAll(() => gateway.close())

  const more: Readonly<Record<string, string>> = {
    CHECKACCESS: '&fsaction=r--',
    RENAME: '&destination=/g',
    SETOWNER: `&owner=${encodeURIComponent(userInfo().username)}`,
    TRUNCATE: '&newlength=0',
    APPEND: '&data=true',
    CREATE: '&overwrite=true',
  }

  test.each(declared)('$method $op', async ({ method, op }) => {
    const put = await ask('PUT', '/f', 'CREATE&overwrite=true', { body: 'x' })
    expect(put.status).toBe(201)
    const path = op === 'MKDIRS' ? '/d' : '/f'
    const answer = await ask(method as 'GET' | 'PUT' | 'POST' | 'DELETE', path, `${op}${more[op] ?? ''}`)
    const embedded = rows.find(row => row.op === op)?.embedded
    if (embedded === 'here') {
      expect(answer.status).toBeLessThan(400)
      // What has no body has no type either.
      const isEmpty = emptyOps.has(op) || [201, 307].includes(answer.status)
      expect({ op, isEmpty: answer.text === '', type: answer.headers.get('content-type') }).toEqual({
        op,
        isEmpty,
        type: isEmpty ? null : expect.any(String),
      })
    } else {
      const isDoneWithout = op === 'GETFILECHECKSUM' || embedded === 'proven'
      const refused = isDoneWithout ? [403, 'IOException'] : [400, 'UnsupportedOperationException']
      expect([answer.status, remoteOf(answer).exception]).toEqual(refused)
    }
  })
})
