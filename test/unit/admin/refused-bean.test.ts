import { describe, expect, test } from 'vitest'
import { createAccess } from '../../../admin/access.ts'
import { createAudit } from '../../../admin/audit.ts'
import { refusedBean, refusedName } from '../../../admin/catalog/refused.ts'
import { createTurns } from '../../../admin/turns.ts'
import { createRegistry } from '../../../src/beans/registry.ts'

const view = {
  figures: { kept: 0, beyondLimit: 0, failed: 0 },
  replayed: () => 0,
  list: async () => ({}),
  export: async () => ({}),
  show: async () => ({}),
  replayFound: async () => ({ outcomes: [] }),
  replay: async () => [],
}
const bean = refusedBean('v', view)
const given = { 'string[]': [], string: 'x', long: 0, int: 1 } as const

const call = (operation: string, roles: readonly string[]) => {
  const registry = createRegistry()
  registry.register(bean)
  const identity = { name: 'ann', has: (role: string) => roles.includes(role) }
  const args = bean.operations[operation]?.arguments.map(({ type }) => given[type as keyof typeof given])
  return createAccess({ registry, audit: createAudit(() => {}), now: () => 0 })({
    caller: { identity, from: '' },
    turns: createTurns()({ signal: new AbortController().signal }),
  }).exec(refusedName('v'), operation, args ?? [])
}

/** A reason quotes what was sent, and so does what becomes of a replay. */
describe.each(Object.keys(bean.operations))('%s of refused events', operation => {
  test('needs the role read', async () => {
    await expect(call(operation, ['view', 'operate'])).rejects.toThrow('The token lacks the role read')
    await expect(call(operation, ['view', 'operate', 'read'])).resolves.toBeTypeOf('object')
  })

  test.each([['read'], ['view', 'read', 'send']])('needs more than %s where it changes something', async (...roles) => {
    const needed = bean.operations[operation]?.isQuery ? 'view' : 'operate'
    if (roles.includes(needed)) await expect(call(operation, roles)).resolves.toBeTypeOf('object')
    else await expect(call(operation, roles)).rejects.toThrow(`lacks the role ${needed}`)
  })
})
