import { describe, expect, test } from 'vitest'
import { createAccess } from '../../../admin/access.ts'
import { createAudit } from '../../../admin/audit.ts'
import { createEventTypeSource } from '../../../admin/catalog/event-types.ts'
import { createRealtimeTypeSource, type RealtimeTypeFigures } from '../../../admin/catalog/realtime.ts'
import { createRpcClient } from '../../../admin/client/rpc-client.ts'
import { createTurns } from '../../../admin/turns.ts'
import { type Bean, defineBean } from '../../../src/beans/bean.ts'
import { createRegistry } from '../../../src/beans/registry.ts'
import { createTestAdmin } from '../../suites/test-admin.ts'

const bean = (name: string): Bean => defineBean({ name, description: name })
const namesOf = (beans: readonly { readonly mbean: string }[]): readonly string[] => beans.map(({ mbean }) => mbean)

test('beans are found by pattern, in the order of their names', async () => {
  const { registry, fetch } = await createTestAdmin()
  for (const name of ['d:name=S,Type=b', 'e:name=S', 'd:name=S', 'd:name=S,Type=a']) registry.register(bean(name))
  const client = createRpcClient({ url: 'http://localhost', fetch })
  expect(await client.search('d:name=S,*')).toEqual(['d:Type=a,name=S', 'd:Type=b,name=S', 'd:name=S'])
  expect(await client.search('d:name=S,Type=a')).toEqual(['d:Type=a,name=S'])
  expect(namesOf((await client.list({ path: 'e' })).beans)).toEqual(['e:name=S'])
})

test('pages reach every bean once, also when beans come and go meanwhile', async () => {
  const { registry, fetch } = await createTestAdmin()
  const removes = Array.from({ length: 25 }, (_, i) => registry.register(bean(`d:n=${String(i).padStart(2, '0')}`)))
  const client = createRpcClient({ url: 'http://localhost', fetch })
  const first = await client.list({ limit: 10 })
  removes[9]?.()
  const second = await client.list({ limit: 10, after: first.next ?? '' })
  const third = await client.list({ limit: 10, after: second.next ?? '' })
  expect([first.beans.length, second.beans.length, third.beans.length, third.next]).toEqual([10, 10, 5, undefined])
  expect(new Set(namesOf([...first.beans, ...second.beans, ...third.beans])).size).toBe(25)
})

const typesOf = (beans: readonly Bean[]): readonly unknown[] => beans.map(({ name }) => name.properties.get('Type'))

test('the beans of event types are the same list until a type comes', () => {
  const [get, post] = [new Map([['A', 1]]), new Map<string, number>()]
  const source = createEventTypeSource(
    'v',
    new Map([
      ['GET', get],
      ['POST', post],
    ]),
  )
  const first = source()
  get.set('A', 2)
  expect(source()).toBe(first)
  post.set('B', 1)
  expect(typesOf(source())).toEqual(['A', 'B'])
  post.set('A', 1)
  expect(typesOf(source())).toEqual(['A', 'B'])
  expect(typesOf(first)).toEqual(['A'])
})

test('the beans of forwarded types are the same list until a type comes or goes', () => {
  const figures = { enqueued: 0, sent: 0, dropped: 0, errored: 0, queueSize: 0, maxQueueSize: 0 }
  let types: readonly RealtimeTypeFigures[] = [{ ...figures, type: 'A' }]
  const refuse = (): never => {
    throw new Error('not here')
  }
  const source = createRealtimeTypeSource('v', {
    isEnabled: () => true,
    ignored: () => 0,
    types: () => types,
    total: () => figures,
    enable: refuse,
    disable: refuse,
    addType: refuse,
    removeType: refuse,
  })
  const first = source()
  types = [{ ...figures, type: 'A', sent: 1 }]
  expect(source()).toBe(first)
  types = [{ ...figures, type: 'B' }]
  expect(typesOf(source())).toEqual(['B'])
  types = []
  expect(source()).toEqual([])
})

describe('an operation that only tells', () => {
  const setUp = async (roles: readonly string[], result: unknown = 'told') => {
    const registry = createRegistry()
    const audit = createAudit(() => {})
    const invoke = (): unknown => result
    const told = { arguments: [], returns: 'string', description: 'Tells.', invoke } as const
    registry.register(
      defineBean({
        name: 'd:name=A',
        description: 'A.',
        operations: {
          ask: { ...told, isQuery: true },
          show: { ...told, isQuery: true, showsEvents: true },
          act: told,
        },
      }),
    )
    const identity = { name: 'ann', has: (role: string) => roles.includes(role) }
    const caller = { identity, from: '' }
    const beans = createAccess({ registry, audit, now: () => 0 })({
      caller,
      turns: createTurns()({ signal: new AbortController().signal }),
    })
    return { beans, audit }
  }

  test('needs no more than the role view, and leaves no line in the audit', async () => {
    const { beans, audit } = await setUp(['view'])
    expect(await beans.exec('d:name=A', 'ask', [])).toBe('told')
    expect(audit.recent()).toEqual([])
    await expect(beans.exec('d:name=A', 'ask', [1])).rejects.toThrow('ask takes 0 arguments')
    await expect(beans.exec('d:name=A', 'act', [])).rejects.toThrow('lacks the role operate')
    await expect(beans.exec('d:name=A', 'askk', [])).rejects.toThrow('lacks the role operate')
    expect(audit.recent().map(({ member, outcome }) => `${member} ${outcome}`)).toEqual(['act denied', 'askk denied'])
  })

  test.each([
    [{ files: 3, failures: 1 }, 'failed'],
    [{ files: 3, failures: 0 }, 'ok'],
    [{ failures: 'none' }, 'ok'],
  ])('an operation that says %j counts as %s', async (result, outcome) => {
    const { beans, audit } = await setUp(['operate'], result)
    expect(await beans.exec('d:name=A', 'act', [])).toEqual(result)
    expect(audit.recent()).toMatchObject([{ outcome }])
    expect(audit.counts[outcome === 'ok' ? 'ok' : 'failed']).toBe(1)
  })

  test('needs the role read besides where it shows what was sent', async () => {
    const { beans } = await setUp(['view'])
    await expect(beans.exec('d:name=A', 'show', [])).rejects.toThrow('lacks the role read')
    expect(await (await setUp(['view', 'read'])).beans.exec('d:name=A', 'show', [])).toBe('told')
    await expect((await setUp(['read'])).beans.exec('d:name=A', 'show', [])).rejects.toThrow('lacks the role view')
  })

  test('needs the role view', async () => {
    const { beans } = await setUp(['operate'])
    await expect(beans.exec('d:name=A', 'ask', [])).rejects.toThrow('lacks the role view')
    expect(await beans.exec('d:name=A', 'act', [])).toBe('told')
  })
})
