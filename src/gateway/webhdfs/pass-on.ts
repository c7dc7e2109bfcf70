import { createQuery } from '../../contract/query.ts'
import { hadoopOf } from '../../filesystem/facets.ts'
import type { WebHdfsOperation } from '../../filesystem/hadoop-verbs.ts'
import { parsePath } from '../../filesystem/path.ts'
import { toJsonResponse } from '../answers.ts'
import { toEmptyResponse } from './answers.ts'
import type { WebHdfsCall, WebHdfsContext } from './context.ts'

/**
 * The parameters that are passed to a cluster besides `op` and path. A list of allowed names, not of forbidden ones:
 * Hadoop ignores case in names, and some others name the caller.
 */
const passedOn: ReadonlySet<string> = new Set([
  'aclspec',
  'allusers',
  'createparent',
  'destination',
  'ecpolicy',
  'encoding',
  'flag',
  'namespacequota',
  'newlength',
  'oldsnapshotname',
  'snapshotdiffindex',
  'snapshotdiffstartpath',
  'snapshotname',
  'sources',
  'storagepolicy',
  'storagespacequota',
  'storagetype',
  'xattr.name',
  'xattr.value',
])

/** Answers what only a cluster can: its own answer. @throws SluiceError `unsupported` where the path is of none */
export const passOn = async (
  { fileSystem }: Pick<WebHdfsContext, 'fileSystem'>,
  call:
    | WebHdfsCall<'webHdfsGet'>
    | WebHdfsCall<'webHdfsPut'>
    | WebHdfsCall<'webHdfsPost'>
    | WebHdfsCall<'webHdfsDelete'>,
): Promise<Response> => {
  const { op, path } = call.params
  const json = await hadoopOf(fileSystem).webHdfs({
    method: toMethod(call.method),
    op,
    path: parsePath(path),
    params: parseParams(call.target),
    signal: call.signal,
  })
  return json === undefined ? toEmptyResponse() : toJsonResponse(json)
}

const toMethod = (method: string): WebHdfsOperation['method'] =>
  method === 'PUT' || method === 'POST' || method === 'DELETE' ? method : 'GET'

/** In the order of the query, with repetitions: several attributes are requested by repeating one name. */
const parseParams = (target: string): WebHdfsOperation['params'] =>
  createQuery(target, 'any-case')
    .list()
    .flatMap(({ name, value }) => (passedOn.has(name) ? [[name, value]] : []))
