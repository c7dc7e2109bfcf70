/**
 * A management listener with 5 000 beans:
 *
 *     node test/bench/many-beans.ts sluice|bare
 *
 * prints where it listens, as the other servers do. `bare` answers any POST with 100 beans by `JSON.stringify`, after one
 * `JSON.parse` of what it was sent.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdmin } from '../../admin/admin.ts'
import { createAudit } from '../../admin/audit.ts'
import { toBeanInfo } from '../../admin/rpc/methods.ts'
import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { createRegistry } from '../../src/beans/registry.ts'
import { createAuth } from '../../src/http/auth/auth.ts'
import { createEdge } from '../../src/http/edge/node.ts'

const count = 5_000
const pageOf = 100

const host = '127.0.0.1'
const logger = { debug: () => {}, info: () => {}, warn: console.error, error: console.error }

/** With what a bean of an event type has: a meter's attributes. */
const createBean = (i: number): Bean =>
  defineBean({
    name: `bench:type=Dummy,name=d${String(i).padStart(4, '0')}`,
    description: `Number ${i} of beans that stand for those of event types`,
    attributes: Object.fromEntries(
      ['Count', 'OneMinuteRate', 'FiveMinuteRate', 'FifteenMinuteRate', 'MeanRate'].map(name => [
        name,
        attribute('double', `${name} of events of the type, as of now`, () => i),
      ]),
    ),
  })

const listenBare = async (beans: readonly Bean[]): Promise<string> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly id: unknown }
      const result = { beans: beans.slice(0, pageOf).map(toBeanInfo) }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

const listenReal = async (beans: readonly Bean[]): Promise<string> => {
  const registry = createRegistry()
  for (const bean of beans) registry.register(bean)
  const fetch = createAdmin({
    registry,
    audit: createAudit(() => {}),
    metrics: [],
    product: { version: '0', node: process.versions.node, vendor: 'bench', startedAt: Date.now() },
    auth: await createAuth({ path: undefined, logger }),
    source: () => ({ allowedHosts: [host], allowedOrigins: [] }),
    logger,
    fallback: () => new Response(null, { status: 404 }),
  })
  const { url } = await createEdge({ name: 'admin', host, port: 0, fetch, logger })
  return url
}

const beans = Array.from({ length: count }, (_, i) => createBean(i))
const server = await (process.argv[2] === 'bare' ? listenBare(beans) : listenReal(beans))
process.stdout.write(`${JSON.stringify({ msg: 'many beans is ready', server })}\n`)
