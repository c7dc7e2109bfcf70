/** A1: a page of a list of many beans, over the real listener. */
import type { Sample } from '../measure.ts'
import { startScript } from '../servers.ts'
import { transfer } from '../transfer-run.ts'
import type { OpenTrial } from '../trial.ts'

const warmUpRequests = 200
const requests = 1_000
const pageOf = 100

export const openBeanPage: OpenTrial = async options => {
  const run = async (kind: 'sluice' | 'bare'): Promise<Sample> => {
    const server = await startScript(options, 'many-beans.ts', [kind])
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'list',
      params: { limit: pageOf, after: 'bench:name=d2499,type=Dummy' },
    }
    const request = {
      url: `${server.url}/rpc`,
      method: 'POST' as const,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    }
    try {
      await transfer(options, { ...request, requests: warmUpRequests })
      const { seconds, bytes: _, ...times } = await transfer(options, { ...request, requests })
      return { rate: requests / seconds, ...times, cpuUs: 0 }
    } finally {
      await server.stop()
    }
  }
  return { sluice: () => run('sluice'), baseline: () => run('bare'), close: async () => {} }
}
