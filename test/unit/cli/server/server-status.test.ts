import { expect, test } from 'vitest'
import { readServerStatus } from '../../../../admin/cli/server/server-status.ts'
import { toStatusView } from '../../../../admin/cli/server/status-view.ts'
import { createRpcClient } from '../../../../admin/client/rpc-client.ts'

type Call = { readonly id: number; readonly method: string; readonly params?: { readonly mbean?: string } }

/** A management listener with one bean, which says where it listens. */
const serverAt = (attributes: Readonly<Record<string, unknown>>) =>
  createRpcClient({
    url: 'http://fake',
    fetch: async request => {
      const body = (await request.json()) as Call | Call[]
      const one = ({ id, method, params }: Call) => {
        if (method === 'version') {
          const result = { version: '1.2.3', protocol: '1', vendor: 'acme', node: 'v24', startedAt: 0, config: {} }
          return { jsonrpc: '2.0', id, result }
        }
        const value = params?.mbean === 'acme.metrics:name=Settings' ? attributes : {}
        return { jsonrpc: '2.0', id, result: { value } }
      }
      return Response.json(Array.isArray(body) ? body.map(one) : one(body))
    },
  })

test('status names listeners at the ports that are bound, also where settings ask for any free one', async () => {
  const settings = { services: 'collector', 'collector.scribe.enabled': 'true', 'collector.scribe.port': '0' }
  const listeners = {
    server: 'http://127.0.0.1:41001',
    scribe: 'tcp://127.0.0.1:41002',
    admin: 'http://127.0.0.1:8081',
  }
  const rpc = serverAt({ Settings: { ...settings, 'server.port': '0', 'data.dir': '/data' }, Listeners: listeners })
  const status = await readServerStatus(rpc)
  const { admin, ...others } = listeners
  expect(status.server.addresses).toEqual({ ...others, data: '/data' })
  const view = toStatusView(status, 'http://proxy:81', 80)
  expect(view).toMatch(/^ {2}scribe {10}tcp:\/\/127\.0\.0\.1:41002$/m)
  expect(view).not.toContain(admin)
})

test('status shows no address where the server tells none', async () => {
  const status = await readServerStatus(serverAt({ Settings: { services: 'collector' } }))
  expect(status.server.addresses).toEqual({})
})
