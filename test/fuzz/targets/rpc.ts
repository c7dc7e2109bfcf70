import { createTestServer } from '../../suites/admin.ts'
import { checkLog, readAnswer } from '../answers.ts'
import { createRenewed } from '../renewed.ts'
import { toWords } from '../words.ts'

/** Bodies of `POST /rpc`. */
export const name = 'rpc'

export const dictionary = [
  ...toWords(`
    { } [ ] , : " null 1e999 -1 "jsonrpc":"2.0" "id": "method": "params": "name": "read" "write" "exec"
    "search" "list" "version" "rpc.discover" "pattern": "attribute": "value": "operation": "arguments":
    "path": "limit": "after": *:* *:type=*,* __proto__ constructor toString
  `),
]

const servers = createRenewed(() => createTestServer({ set: ['collector.scribe.enabled=false'] }), 5_000)

/** Each call has a result or an error of JSON-RPC; what is no such request is refused. */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const server = await servers.get()
  const before = server.log.length
  const headers = { 'content-type': 'application/json' }
  const response = await server.admin('/rpc', { method: 'POST', headers, body: new Uint8Array(bytes) })
  const body = await readAnswer(response)
  checkLog(server.log.slice(before))
  if (response.status !== 200) {
    if (![204, 400, 413].includes(response.status)) throw new Error(`the status is ${response.status}`)
    return
  }
  const answers: unknown = JSON.parse(Buffer.from(body ?? []).toString())
  for (const answer of Array.isArray(answers) ? answers : [answers]) {
    const { jsonrpc } = answer as { readonly jsonrpc?: unknown }
    if (jsonrpc !== '2.0' || Object.hasOwn(answer, 'result') === Object.hasOwn(answer, 'error')) {
      throw new Error(`the answer is ${JSON.stringify(answer).slice(0, 200)}`)
    }
  }
}

export const close = (): Promise<void> => servers.close()
