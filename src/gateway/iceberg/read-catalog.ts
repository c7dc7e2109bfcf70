/** Iceberg's REST catalog, read-only: the directories of this server's name space, and the tables in them. */
import type { Params } from '../../contract/operations.ts'
import { SluiceError } from '../../errors.ts'
import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { stringifyJson } from '../../formats/json.ts'
import type { Call } from '../../http/call/call.ts'
import { NoTable } from '../../tables/table-error.ts'
import { dataHeaders, toJsonResponse } from '../answers.ts'
import type { FilesAndTables } from '../tables/table-directories.ts'
import { isAbsent } from '../tables/table-kind.ts'
import { findNamespaceNames, findTableNames } from './find-names.ts'
import { toGatewayTable } from './lead-through.ts'
import { toLevels, toLevelText, toNamespacePath, toTableDirectory } from './namespaces.ts'
import { toNamePage } from './pages-of-names.ts'

/** The prefix of paths whose answers lead to nothing but this gateway. */
export const gatewayPrefix = 'gateway'

type CatalogCall = Call<Params<'icebergGet'>>

const endpoints = [
  'GET /v1/{prefix}/namespaces',
  'GET /v1/{prefix}/namespaces/{namespace}',
  'HEAD /v1/{prefix}/namespaces/{namespace}',
  'GET /v1/{prefix}/namespaces/{namespace}/tables',
  'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}',
]

/** Answers `/iceberg/v1/config`: what a client has to know before all else. */
export const getCatalogConfig = ({ params: { warehouse } }: Call<Params<'icebergConfig'>>): Response =>
  toJsonResponse({ defaults: {}, overrides: warehouse === gatewayPrefix ? { prefix: gatewayPrefix } : {}, endpoints })

/** Answers `/iceberg/v1/…`. */
export const readCatalog = async (options: FilesAndTables, call: CatalogCall): Promise<Response> => {
  const [first, ...rest] = call.params.path.replace(/^\/|\/$/g, '').split('/')
  const isThrough = first === gatewayPrefix
  const [kind, namespace, tables, table, ...more] = isThrough ? rest : [first, ...rest]
  if (kind === 'namespaces' && more.length === 0) {
    if (namespace === undefined) return await listNamespaces(options, call)
    if (tables === undefined) return await loadNamespace(options, call, namespace)
    if (tables === 'tables' && table === undefined) return await listTables(options, call, namespace)
    if (tables === 'tables' && table !== undefined)
      return await loadTable(options, call, { namespace, table, isThrough })
  }
  throw new SluiceError('not-found', 'This catalog is read-only and has only namespaces and tables')
}

const listNamespaces = async (options: FilesAndTables, { params, signal }: CatalogCall): Promise<Response> => {
  const parent = params.parent ? toNamespacePath(params.parent) : '/'
  await checkNamespace(options, parent, signal)
  const { names, ...page } = await toNamePage(
    startAfter => findNamespaceNames(options, parent, after(startAfter, signal)),
    params,
  )
  const levels = toLevels(parent)
  return toJsonResponse({ namespaces: names.map(name => [...levels, name]), ...page })
}

const loadNamespace = async (options: FilesAndTables, call: CatalogCall, name: string): Promise<Response> => {
  const path = toNamespacePath(name)
  await checkNamespace(options, path, call.signal)
  if (call.method === 'HEAD') return new Response(null, { status: 204, headers: dataHeaders })
  return toJsonResponse({ namespace: toLevels(path), properties: { location: path } })
}

const listTables = async (
  options: FilesAndTables,
  { params, signal }: CatalogCall,
  name: string,
): Promise<Response> => {
  const path = toNamespacePath(name)
  await checkNamespace(options, path, signal)
  const { names, ...page } = await toNamePage(
    startAfter => findTableNames(options, path, after(startAfter, signal)),
    params,
  )
  const namespace = toLevels(path)
  return toJsonResponse({ identifiers: names.map(one => ({ namespace, name: one })), ...page })
}

type Asked = { readonly namespace: string; readonly table: string; readonly isThrough: boolean }

const loadTable = async (
  { fileSystem, tables }: FilesAndTables,
  call: CatalogCall,
  { namespace, table, isThrough }: Asked,
): Promise<Response> => {
  const path = toTableDirectory(namespace, table)
  const loaded = await tables.load(path, call.signal).catch(error => {
    if (!(error instanceof NoTable)) throw error
  })
  if (loaded === undefined) {
    await refuseUnseen(fileSystem, path, call.signal)
    throw new SluiceError('not-found', `"${path}" is not a table`)
  }
  if (call.method === 'HEAD') return new Response(null, { status: 204, headers: dataHeaders })
  const { metadataUri, metadata } = loaded
  const shown = isThrough
    ? toGatewayTable(call, loaded)
    : { 'metadata-location': metadataUri, metadata: { ...metadata.json } }
  const headers = { ...dataHeaders, 'content-type': 'application/json' }
  return new Response(stringifyJson({ ...shown, config: {} }), { headers })
}

/** Rejects with `denied` where the caller may not see whether a directory is a table. */
const refuseUnseen = async (
  fileSystem: Pick<FileSystem, 'listStatus'>,
  path: string,
  signal: AbortSignal,
): Promise<void> => {
  try {
    for await (const _ of fileSystem.listStatus(`${path}/metadata`, { signal })) return
  } catch (error) {
    if (!isAbsent(error) || (error instanceof FileSystemError && error.code === 'denied')) throw error
  }
}

/** @throws SluiceError `not-found` unless it is a directory, and not a table */
const checkNamespace = async (
  { fileSystem, tables }: FilesAndTables,
  path: string,
  signal: AbortSignal,
): Promise<void> => {
  const status = await findStatus(fileSystem, path)
  if (status?.isDirectory && !(await tables.has(path, signal))) return
  throw new SluiceError('not-found', `There is no namespace ${toLevelText(toLevels(path))}`)
}

const after = (startAfter: string | undefined, signal: AbortSignal): { startAfter?: string; signal: AbortSignal } => ({
  ...(startAfter === undefined ? {} : { startAfter }),
  signal,
})
