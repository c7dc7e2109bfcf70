/** Before a store: it drops the condition of writes, so that what is behind is a store that does not look at it. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { pipeline } from 'node:stream'

export type ForgetfulProxy = {
  readonly endpoint: string
  /** Conditions that it dropped. */
  readonly dropped: () => number
  close(): Promise<void>
}

/** @param target `http://host:port` of a store that does not check signatures */
export const startForgetfulProxy = async (target: string): Promise<ForgetfulProxy> => {
  let dropped = 0
  const server = createServer((incoming, response) => {
    const { 'if-none-match': condition, ...headers } = incoming.headers
    if (condition !== undefined && incoming.method !== 'GET') dropped++
    const { method } = incoming
    const onward = request(new URL(incoming.url ?? '/', target), { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      pipeline(answer, response, () => {})
    })
    onward.on('error', () => response.destroy())
    pipeline(incoming, onward, () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    dropped: () => dropped,
    close: async () => {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}
