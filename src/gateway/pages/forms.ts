import { z } from 'zod'
import type { Handlers, Params } from '../../contract/operations.ts'
import { baseName } from '../../filesystem/path.ts'
import type { Call, Handler } from '../../http/call.ts'
import { toBrowseLink } from './links.ts'

/** The operations that programs use; the forms of the pages lead to the same. */
export type WriteHandlers = Pick<Handlers, 'uploadFile' | 'deletePath'>

const uploadedShape = z.looseObject({ path: z.string() })

/**
 * Answers the forms that upload and delete: does what the operation for programs does, and leads to the page of the
 * directory with 303. Throws what that operation throws.
 */
export const createFormHandler =
  ({ uploadFile, deletePath }: WriteHandlers): Handler<Params<'submitForm'>> =>
  async call => {
    const { path, action, recursive, overwrite } = call.params
    if (action === 'delete') {
      await deletePath(withParams(call, 'deletePath', { path, recursive }))
      const slash = path.replace(/\/+$/, '').lastIndexOf('/')
      return seeOther(toBrowseLink(path.slice(0, slash) || '/', { done: 'deleted', name: path.slice(slash + 1) }))
    }
    const directory = path.endsWith('/') ? path : `${path}/`
    const defaults = { replication: 3, permission: 'u=rw,go=r' }
    const answer = await uploadFile(withParams(call, 'uploadFile', { path: directory, overwrite, ...defaults }))
    const uploaded = uploadedShape.parse(await answer.json()).path
    const name = baseName(uploaded)
    return seeOther(toBrowseLink(directory.slice(0, -1) || '/', { done: 'uploaded', name }))
  }

/** "Look there now, by GET": what answers a form. */
export const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { ...headers, location, 'cache-control': 'no-store' } })

/** The same call for another operation; a view, because the call of the edge must not be copied. */
const withParams = <P>(call: Call<unknown>, operationId: string, params: P): Call<P> => ({
  operationId,
  params,
  method: call.method,
  target: call.target,
  peer: call.peer,
  secure: call.secure,
  caller: call.caller,
  headers: call.headers,
  get signal() {
    return call.signal
  },
  header: name => call.header(name),
  bytes: maxBytes => call.bytes(maxBytes),
  stream: () => call.stream(),
})
