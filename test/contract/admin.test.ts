import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { adminRoutes } from '../../admin/routes.ts'
import type { Operation } from '../../src/contract/contract.ts'
import type { Content } from '../../src/contract/document.ts'
import { loadAdminContract } from '../../src/contract/load.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
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

/** The token of the example of a login, and what else counts only with one. */
const token = 'a-token-of-the-file'
const authorization = `Bearer ${token}`

/** A server that knows it. */
const startWithToken = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-contract-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'tokens')
  writeFileSync(file, `ann view,read,operate sha256:${hashToken(token)}\n`)
  return await startTestServer({ set: [`auth.tokens=${file}`], token })
}

const toTarget = ({ path, parameters }: Operation): string =>
  parameters
    .filter(parameter => parameter.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), path)

const valuesOf = ({ example, examples }: Content[string]): readonly unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
]

/** A call for each example of a body; without a body one for each example of a parameter, and one without any. */
const examplesOf = (operation: Operation) => {
  const { method, requestContent, parameters } = operation
  const target = toTarget(operation)
  const bodies = Object.entries(requestContent).flatMap(([type, content]) =>
    valuesOf(content).map((value, index) => ({
      name: `${index + 1} of ${type}`,
      target,
      init: { method, headers: { 'content-type': type }, body: JSON.stringify(value) },
    })),
  )
  if (bodies.length > 0) return bodies
  const queries = parameters.flatMap(({ in: place, name, example }) =>
    place === 'query' && example !== undefined
      ? [
          [example]
            .flat()
            .map(value => `${name}=${encodeURIComponent(String(value))}`)
            .join('&'),
        ]
      : [],
  )
  return ['', ...queries].map(query => ({
    name: `?${query}`,
    target: query === '' ? target : `${target}?${query}`,
    init: { method, headers: {} },
  }))
}

describe.each(adminContract.operations)('$method $path of the management listener', operation => {
  test.each(examplesOf(operation))('answers its example $name as declared', async ({ target, init }) => {
    const server = await startWithToken()
    const response = await server.admin(target, { ...init, headers: { authorization, ...init.headers } })
    // Nothing is in quarantine.
    if (operation.id === 'getQuarantined') expect(response.status).toBe(404)
    else expect(response.ok).toBe(true)
    const answer = operation.answers.find(({ status }) => status === response.status)
    expect(answer).toBeDefined()
    if (Object.keys(answer?.content ?? {}).length === 0) return expect(await response.text()).toBe('')
    const type = response.headers.get('content-type')?.split(';')[0]
    expect(Object.keys(answer?.content ?? {})).toContain(type)
    const schema = answer?.content[type ?? '']?.schema
    // What never ends is looked at in `admin-live.test.ts`.
    if (type === 'text/event-stream') return await response.body?.cancel()
    const value: unknown = type?.endsWith('json') ? await response.json() : await response.text()
    expect(schema && z.fromJSONSchema(schema).safeParse(value).error?.issues).toBeUndefined()
    // These protocols say with 200 that a request failed.
    for (const one of [value].flat()) {
      if (operation.path === '/rpc') expect(one).not.toHaveProperty('error')
      if (operation.path.startsWith('/jolokia')) expect(one).toMatchObject({ status: 200 })
    }
  })

  test('has an example of each body that it takes, and all examples fit their schemas', () => {
    const bodies = Object.values(operation.requestContent)
    for (const content of bodies) expect(valuesOf(content).length).toBeGreaterThan(0)
    for (const content of [...bodies, ...operation.answers.flatMap(answer => Object.values(answer.content))]) {
      for (const value of valuesOf(content))
        expect(content.schema && z.fromJSONSchema(content.schema).safeParse(value).error?.issues).toBeUndefined()
    }
  })

  test('answers a method that it has not as declared', async () => {
    const server = await startTestServer()
    const response = await server.admin(toTarget(operation), { method: 'PUT' })
    const { status, headers } = response
    expect([status, headers.get('content-type')]).toEqual([405, 'application/problem+json'])
    expect(operation.answers.map(answer => answer.status)).toContain(405)
  })
})

test('each listener serves its own contract, and a page whose examples name the address that answers', async () => {
  const server = await startTestServer({ transport: 'node' })
  const contracts = await Promise.all([server.server('/openapi.json'), server.admin('/openapi.json')])
  expect(await Promise.all(contracts.map(answer => answer.json()))).toEqual([contract.document, adminContract.document])
  const [page, adminPage] = await Promise.all([server.server('/docs'), server.admin('/docs')])
  expect(await page.text()).toContain(`${server.serverUrl}/rest/1.0/event`)
  expect(await adminPage.text()).toContain(`${server.adminUrl}/rpc`)
})
