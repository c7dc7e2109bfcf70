import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { adminRoutes } from '../../admin/routes.ts'
import type { Operation } from '../../src/contract/contract.ts'
import { loadAdminContract } from '../../src/contract/load.ts'
import { startTestServer } from '../suites/admin.ts'
import { contract } from '../unit/contract/fixture.ts'

const adminContract = loadAdminContract()

/** On the management listener too; bound by `openapi.yaml`. */
const shared = ['getHealth', 'getLiveness', 'getReadiness', 'getContract', 'getDocs']

test('the contract of the management listener has each of its routes, and no others', () => {
  const declared = adminContract.operations
    .filter(({ id }) => !shared.includes(id))
    .map(({ method, path, role }) => `${method} ${path.replace(/\{.*/, '*')} ${role ?? 'open'}`)
  const routes = Object.values(adminRoutes).flatMap(({ methods, path, roles }) =>
    methods.map(method => `${method} ${path} ${roles[0] ?? 'open'}`),
  )
  expect(declared.sort()).toEqual(routes.sort())
})

test.each(shared)('%s is declared as in the other contract', id => {
  const of = (operations: readonly Operation[]) => {
    const { description, parameters, answers, path } = operations.find(operation => operation.id === id) ?? {}
    const statuses = answers?.map(answer => [answer.status, Object.keys(answer.content)])
    return { path, description, names: parameters?.map(({ name }) => name), statuses }
  }
  expect(of(adminContract.operations)).toEqual(of(contract.operations))
})

describe.each(adminContract.operations)('$method $path of the management listener', operation => {
  test('answers its example as declared', async () => {
    const server = await startTestServer()
    const response = await server.admin(toTarget(operation), toInit(operation))
    const answer = operation.answers.find(({ status }) => status === response.status)
    // Nobody can log in where no token is needed, and nothing is in quarantine.
    if (!['postSession', 'getQuarantined'].includes(operation.id)) expect(response.status).toBeLessThan(300)
    expect({ status: response.status, declared: answer !== undefined }).toMatchObject({ declared: true })
    const type = response.headers.get('content-type')?.split(';')[0]
    if (Object.keys(answer?.content ?? {}).length === 0) return expect(await response.text()).toBe('')
    expect(Object.keys(answer?.content ?? {})).toContain(type)
    const schema = answer?.content[type ?? '']?.schema
    // What never ends is looked at in `admin-live.test.ts`.
    if (type === 'text/event-stream') return await response.body?.cancel()
    const value: unknown = type?.endsWith('json') ? await response.json() : await response.text()
    expect(schema && z.fromJSONSchema(schema).safeParse(value).error?.issues).toBeUndefined()
  })

  test('answers a method that it has not as declared', async () => {
    const server = await startTestServer()
    const response = await server.admin(toTarget(operation), { method: 'PUT' })
    const { status, headers } = response
    expect([status, headers.get('content-type')]).toEqual([405, 'application/problem+json'])
    expect(operation.answers.map(answer => answer.status)).toContain(405)
  })
})

const toTarget = ({ path, parameters }: Operation): string =>
  parameters
    .filter(parameter => parameter.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), path)

const toInit = ({ method, requestContent }: Operation): RequestInit => {
  const [[type, { example, examples }] = [undefined, { example: undefined, examples: {} }]] =
    Object.entries(requestContent)
  if (type === undefined) return { method }
  const body = JSON.stringify(example ?? Object.values(examples)[0]?.value)
  return { method, headers: { 'content-type': type }, body }
}

test('each listener serves its own contract, and a page whose examples name the address that answers', async () => {
  const server = await startTestServer({ transport: 'node' })
  const contracts = await Promise.all([server.server('/openapi.json'), server.admin('/openapi.json')])
  expect(await Promise.all(contracts.map(answer => answer.json()))).toEqual([contract.document, adminContract.document])
  const [page, adminPage] = await Promise.all([server.server('/docs'), server.admin('/docs')])
  expect(await page.text()).toContain(`${server.serverUrl}/rest/1.0/event`)
  expect(await adminPage.text()).toContain(`${server.adminUrl}/rpc`)
})
