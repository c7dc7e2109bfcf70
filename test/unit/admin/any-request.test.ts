import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attribute, defineBean } from '../../../src/beans/bean.ts'
import { createTestAdmin } from '../../suites/test-admin.ts'

const unexpected: unknown[] = []

const createOddAdmin = async () => {
  const logger = { error: (fields: Readonly<Record<string, unknown>>) => void unexpected.push(fields['err']) }
  const { registry, fetch } = await createTestAdmin({ logger })
  registry.register(
    defineBean({
      name: 'd:name=n,type=T',
      description: 'A bean.',
      attributes: {
        A: attribute('long', 'One.', () => 1n),
        B: { ...attribute('string[]', 'Texts.', () => new Set(['x'])), write: () => {} },
      },
      operations: {
        run: { arguments: [{ name: 'n', type: 'int' }], returns: 'map', description: 'Runs.', invoke: n => ({ n }) },
        fail: {
          arguments: [],
          returns: 'void',
          description: 'Fails.',
          invoke: () => {
            throw new TypeError('internals of the server')
          },
        },
      },
    }),
  )
  return fetch
}

/** JSON that is nearly right: known words in places where they mean something, and in others. */
const known =
  'd:name=n,type=T d:* *:* A B run __proto__ constructor read write exec search list version rpc.discover 2.0 d/name=n,type=T'
const others = ['', 'x'.repeat(3_000), null, 1, -1, 1e300, true, [], {}]
const words = fc.constantFrom<unknown>(...known.split(' '), ...others)
const members =
  'jsonrpc id method params mbean attribute value operation arguments path pattern limit after type config target __proto__'
const keys = fc.constantFrom(...members.split(' '))
const { tree } = fc.letrec(tie => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    words,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie('tree')), { maxLength: 5 }).map(entries => Object.fromEntries(entries)),
  ),
}))
const methods = fc.constantFrom('read', 'write', 'exec', 'search', 'list', 'version', 'rpc.discover')
const call = fc.record({ jsonrpc: fc.constant('2.0'), id: fc.nat(), method: methods, params: tree })
const request = fc.record({
  type: methods,
  mbean: words,
  attribute: words,
  operation: words,
  arguments: tree,
  path: words,
})

const send = async (admin: Awaited<ReturnType<typeof createOddAdmin>>, path: string, body: string) =>
  admin(
    new Request(`http://localhost${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
  )

describe('any request', () => {
  test('to /rpc is always answered in JSON-RPC', async () => {
    const admin = await createOddAdmin()
    await fc.assert(
      fc.asyncProperty(fc.oneof(call, tree, fc.array(call, { maxLength: 3 })), async message => {
        const response = await send(admin, '/rpc', JSON.stringify(message))
        expect([200, 204]).toContain(response.status)
        if (response.status === 204) return
        const answers: unknown = await response.json()
        for (const answer of Array.isArray(answers) ? answers : [answers]) {
          expect(answer).toHaveProperty('jsonrpc', '2.0')
          expect(Object.hasOwn(answer, 'result')).not.toBe(Object.hasOwn(answer, 'error'))
        }
      }),
      { numRuns: 1_000 },
    )
    expect(unexpected).toEqual([])
  })

  test('to /jolokia is answered in its protocol, by POST and by GET', async () => {
    const admin = await createOddAdmin()
    const path = fc.array(
      fc.constantFrom('read', 'list', 'd:name=n,type=T', '*:*', 'A', '!', '!/', '/', '%2F', '%', '?', '*'),
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, tree), path, async (message, parts) => {
        const posted: unknown = await (await send(admin, '/jolokia', JSON.stringify(message))).json()
        const got: unknown = await (await admin(new Request(`http://localhost/jolokia/${parts.join('/')}`))).json()
        for (const answer of [...(Array.isArray(posted) ? posted : [posted]), got]) {
          expect([200, 400, 403, 404]).toContain(answer.status)
          expect(Object.hasOwn(answer, 'value')).not.toBe(Object.hasOwn(answer, 'error'))
        }
      }),
      { numRuns: 1_000 },
    )
    expect(unexpected).toEqual([])
  })

  test('whose operation fails by a mistake of the server shows nothing of it', async () => {
    const admin = await createOddAdmin()
    const exec = { mbean: 'd:name=n,type=T', operation: 'fail' }
    const answers = [
      await send(admin, '/rpc', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'exec', params: exec })),
      await send(admin, '/jolokia', JSON.stringify({ type: 'exec', ...exec })),
    ]
    expect(await answers[0]?.json()).toMatchObject({ error: { code: -32603, message: 'Internal error' } })
    expect(await answers[1]?.json()).toMatchObject({
      status: 500,
      error: 'java.lang.RuntimeException : Internal error',
    })
    expect(unexpected.splice(0)).toEqual([expect.any(TypeError), expect.any(TypeError)])
  })
})
