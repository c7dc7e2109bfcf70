import { expect, test } from 'vitest'
import { readServerStatus } from '../../../../admin/cli/server/server-status.ts'
import { toStatusView } from '../../../../admin/cli/server/status-view.ts'
import { createRpcClient } from '../../../../admin/client/rpc-client.ts'

type Call = { readonly id: number; readonly method: string; readonly params?: { readonly mbean?: string } }

/** A management listener with one bean, by default the one that says where it listens. */
const serverAt = (attributes: Readonly<Record<string, unknown>>, bean = 'acme.metrics:name=Settings') =>
  createRpcClient({
    url: 'http://fake',
    fetch: async request => {
      const body = (await request.json()) as Call | Call[]
      const one = ({ id, method, params }: Call) => {
        if (method === 'version') {
          const result = { version: '1.2.3', protocol: '1', vendor: 'acme', node: 'v24', startedAt: 0, config: {} }
          return { jsonrpc: '2.0', id, result }
        }
        const value = params?.mbean === bean ? attributes : {}
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

test.each([
  [{ State: 'in-step', Copies: 3 }, /^ {2}log in HDFS {5}in step, on 3 DataNodes$/m],
  [{ State: 'in-step', Copies: 1 }, /in step, on 1 DataNode$/m],
  [{ State: 'away', BehindBytes: 2_000 }, /^ {2}log in HDFS {5}away: HDFS does not take it, 2\.0 kB behind$/m],
  [{ State: 'in-step', Copies: 0 }, /^ {2}log in HDFS {5}in step$/m],
  [{ State: 'fenced' }, /^ {2}log in HDFS {5}fenced: another collector has it$/m],
  [{ State: 'unproven' }, /^ {2}log in HDFS {5}not looked at yet$/m],
  [{ State: 'in-step', Copies: 3, SetAside: 1 }, /^ {2}set aside {7}1 earlier spool, in fenced\/$/m],
])('status says how the log in HDFS is: %j', async (attributes, line) => {
  const status = await readServerStatus(serverAt(attributes, 'acme.metrics.collector:name=Replica'))
  expect(status.replica).toMatchObject({ state: attributes.State, takingOver: [] })
  const waiting = { ...status.waiting, spool: { ...status.waiting.spool, events: 0 } }
  expect(toStatusView({ ...status, waiting }, 'http://x', 80)).toMatch(line)
})

test('status says how many collectors are taken over, and nothing where no log is in HDFS', async () => {
  const TakingOver = [{ id: 'b', waitingEvents: 1, problem: '' }]
  const status = await readServerStatus(
    serverAt({ State: 'in-step', TakingOver }, 'acme.metrics.collector:name=Replica'),
  )
  const waiting = { ...status.waiting, spool: { ...status.waiting.spool, events: 0 } }
  expect(toStatusView({ ...status, waiting }, 'http://x', 80)).toMatch(/^ {2}taking over {5}b, 1 event to go$/m)
  for (const attributes of [{}, { State: 'off' }]) {
    const { replica } = await readServerStatus(serverAt(attributes, 'acme.metrics.collector:name=Replica'))
    expect(replica).toBeNull()
  }
})

test('status shows no address where the server tells none', async () => {
  const status = await readServerStatus(serverAt({ Settings: { services: 'collector' } }))
  expect(status.server.addresses).toEqual({})
})
