import { JolokiaError } from '../../../admin/jolokia/errors.ts'
import { extract, splitPath } from '../../../admin/jolokia/path.ts'
import { createTestServer } from '../../suites/admin.ts'
import { checkLog, readAnswer } from '../answers.ts'
import { createRenewed } from '../renewed.ts'
import { tried } from '../tried.ts'
import { toWords } from '../words.ts'

/** Jolokia's protocol: the body of a POST where the input begins as JSON, the path of a GET otherwise. */
export const name = 'jolokia'

export const dictionary = [
  ...toWords(`
    / !/ !! ! !* %2F %21 % %00 * ? , : = *:* read write exec search list version notification ?p=
    &maxDepth=1 &ignoreErrors=true &listCache=true __proto__ length { } [ ] " "type": "mbean":
    "attribute": "operation": "arguments": "value": "path": "config": "target": "maxDepth": null 1e999
    sluice. :type= :name= constructor
  `),
  '\n',
]

const servers = createRenewed(() => createTestServer({ set: ['collector.scribe.enabled=false'] }), 5_000)

/** Each request has a value or an error, and a status; a path is split as it was joined. */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const text = Buffer.from(bytes).toString('utf8')
  checkPath(text)
  const isPost = text.startsWith('{') || text.startsWith('[')
  // A client takes dots out of a path before it sends it: what is left may be a page.
  if (!isPost && !isOfJolokia(`/jolokia/${text}`)) return
  const server = await servers.get()
  const before = server.log.length
  const response = await (isPost
    ? server.admin('/jolokia', {
        method: 'POST',
        headers: { 'content-type': 'text/json' },
        body: new Uint8Array(bytes),
      })
    : server.admin(`/jolokia/${text}`))
  const body = await readAnswer(response)
  checkLog(server.log.slice(before))
  if (response.status !== 200) return
  const answers: unknown = JSON.parse(Buffer.from(body ?? []).toString())
  for (const answer of Array.isArray(answers) ? answers : [answers]) {
    const { status } = answer as { readonly status?: unknown }
    const isKnown = status === 200 || status === 400 || status === 403 || status === 404
    if (!isKnown || Object.hasOwn(answer, 'value') !== (status === 200)) {
      throw new Error(`the answer is ${JSON.stringify(answer).slice(0, 200)}`)
    }
  }
}

const isOfJolokia = (path: string): boolean => {
  const { pathname } = new URL(`http://localhost${path}`)
  return pathname === '/jolokia' || pathname.startsWith('/jolokia/')
}

export const close = (): Promise<void> => servers.close()

const checkPath = (text: string): void => {
  const parts = tried(() => splitPath(text), JolokiaError)
  if (!parts) return
  const joined = parts.map(part => part.replace(/[!/]/g, '!$&')).join('/')
  const again = tried(() => splitPath(joined), JolokiaError)
  if (parts.every(part => part !== '') && again?.join('\n') !== parts.join('\n')) {
    throw new Error(`${JSON.stringify(parts)} came apart as ${JSON.stringify(again)}`)
  }
  tried(() => extract({ a: [{ b: 1 }], 'c/d': null }, parts), JolokiaError)
}
