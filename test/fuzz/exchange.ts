import type { TestServer } from '../suites/admin.ts'
import { checkLog, readAnswer } from './answers.ts'
import { parseRequest, toFetchArguments } from './http-text.ts'

/** Sends these bytes as a request: it is answered, never with a 5xx, and no error surprises the server. */
export const exchange = async (servers: { get(): Promise<TestServer> }, bytes: Uint8Array): Promise<void> => {
  const request = toFetchArguments(parseRequest(bytes))
  if (!request) return
  const server = await servers.get()
  const before = server.log.length
  await readAnswer(await server.server(...request), request[1].method)
  checkLog(server.log.slice(before))
}
