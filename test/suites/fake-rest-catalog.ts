/** A REST catalog in memory, by HTTP, whose answers can be made to go wrong: what no real one can be brought to do. */
import { Buffer } from 'node:buffer'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { parseJson, stringifyJson } from '../../src/formats/json.ts'
import type { Value } from '../../src/formats/number.ts'

type Json = { [name: string]: Value }

/** What goes wrong with a request. */
export type CatalogFault =
  /** It is answered so, and nothing is done. */
  | { readonly status: number; readonly type?: string; readonly headers?: Readonly<Record<string, string>> }
  /** It is done, and then answered so. */
  | { readonly after: number }
  /** It is done, and no answer comes, or half of one. */
  | 'lost'
  | 'torn'
  /** Nothing is done, and nothing comes. */
  | 'hangs'
  /** It is done twice, as by what is in between; the second answer comes. */
  | 'twice'

export type FakeCatalogRequest = {
  readonly method: string
  /** Behind the host; unescaped, with `.` between the levels of a namespace. */
  readonly path: string
  readonly body: string
  readonly authorization: string | undefined
}

export type FakeCatalogOptions = {
  readonly configuration?: Json
  /** Where it says that the metadata of a table is. @default below its location, by its date */
  readonly toMetadataUri?: (metadata: Json) => string
  /** Of each table. @default none that others take for one */
  readonly tableUuid?: string
  /** What is answered to client credentials. */
  readonly toToken?: () => Json
  /** Asked before each request. */
  readonly fail?: (request: FakeCatalogRequest, number: number) => CatalogFault | undefined
}

export type FakeCatalog = {
  readonly url: string
  readonly requests: readonly FakeCatalogRequest[]
  /** Metadata by `namespace.name`. */
  readonly tables: Map<string, Json>
  readonly namespaces: Set<string>
}

type Answer = { readonly status: number; readonly json: Value }

const refusal = (status: number, type: string): Answer => ({
  status,
  json: { error: { message: 'so it is', type, code: status } },
})

export const startFakeCatalog = async (options: FakeCatalogOptions = {}): Promise<FakeCatalog> => {
  const { configuration = {}, toMetadataUri = byDate, toToken = () => ({}), tableUuid = 'a-uuid', fail } = options
  const loaded = (metadata: Json): Json => ({ 'metadata-location': toMetadataUri(metadata), metadata })
  const tables = new Map<string, Json>()
  const namespaces = new Set<string>()
  const requests: FakeCatalogRequest[] = []

  const create = (namespace: string, body: Json): Answer => {
    if (!namespaces.has(namespace)) return refusal(404, 'NoSuchNamespaceException')
    if (tables.has(`${namespace}.${textOf(body['name'])}`)) return refusal(409, 'AlreadyExistsException')
    const metadata = { 'table-uuid': tableUuid, location: body['location'] ?? '', properties: body['properties'] ?? {} }
    return { status: 200, json: { metadata } }
  }
  const commit = (key: string, body: Json): Answer => {
    const before = tables.get(key)
    const now = structuredClone(before) ?? newTable()
    if (!listOf(body['requirements']).every(one => holds(before, one))) return refusal(409, 'CommitFailedException')
    for (const update of listOf(body['updates'])) Object.assign(now, changed(now, update))
    now['last-updated-ms'] = Number(now['last-updated-ms']) + 1
    tables.set(key, now)
    return { status: 200, json: loaded(now) }
  }
  const answer = ({ method, path, body }: FakeCatalogRequest): Answer => {
    const json = body.startsWith('{') ? (parseJson(body) as Json) : {}
    if (path.endsWith('/v1/config')) return { status: 200, json: { defaults: {}, overrides: configuration } }
    if (path.endsWith('/oauth/tokens')) return { status: 200, json: toToken() }
    if (path.endsWith('/namespaces')) {
      namespaces.add(listTexts(json['namespace']).join('.'))
      return { status: 200, json: {} }
    }
    const [, alone] = /namespaces\/([^/]+)$/.exec(path) ?? []
    if (alone !== undefined)
      return namespaces.has(alone) ? { status: 200, json: {} } : refusal(404, 'NoSuchNamespaceException')
    const [, namespace = '', name] = /namespaces\/([^/]+)\/tables(?:\/([^/]+))?$/.exec(path) ?? []
    if (name === undefined) return create(namespace, json)
    const key = `${namespace}.${name}`
    if (method === 'POST') return commit(key, json)
    const found = tables.get(key)
    return found ? { status: 200, json: loaded(found) } : refusal(404, 'NoSuchTableException')
  }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = await readRequest(request)
    const fault = fail?.(asked, requests.length)
    requests.push(asked)
    if (typeof fault === 'object' && 'status' in fault) {
      const { json } = refusal(fault.status, fault.type ?? 'SomeException')
      response.writeHead(fault.status, fault.headers).end(stringifyJson(json))
      return
    }
    if (fault === 'hangs') return
    if (fault === 'twice') answer(asked)
    const { status, json } = answer(asked)
    const text = stringifyJson(json)
    if (fault === 'lost') {
      response.destroy()
      return
    }
    if (fault === 'torn') {
      response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).write(text.slice(0, text.length / 2))
      setImmediate(() => response.destroy())
      return
    }
    const shown = typeof fault === 'object' && 'after' in fault ? fault.after : status
    response.writeHead(shown, { 'content-type': 'application/json' }).end(text)
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, tables, namespaces }
}

const readRequest = async (request: IncomingMessage): Promise<FakeCatalogRequest> => {
  const body = Buffer.concat(await Array.fromAsync(request)).toString('utf8')
  const [path = ''] = (request.url ?? '').split('?')
  const { authorization } = request.headers
  return { method: request.method ?? '', path: decodeURIComponent(path).replaceAll('\u001f', '.'), body, authorization }
}

const textOf = (value: Value | undefined): string => (typeof value === 'string' ? value : stringifyJson(value ?? null))
const listOf = (value: Value | undefined): Json[] => (value ?? []) as Json[]
const listTexts = (value: Value | undefined): string[] => (value ?? []) as string[]

const byDate = (metadata: Json): string =>
  `${textOf(metadata['location'])}/metadata/${textOf(metadata['last-updated-ms'])}.metadata.json`

const newTable = (): Json => ({
  'last-sequence-number': 0,
  'last-updated-ms': 0,
  'current-snapshot-id': -1,
  refs: {},
  snapshots: [],
  schemas: [],
  'partition-specs': [],
  'sort-orders': [],
  properties: {},
})

const holds = (table: Json | undefined, requirement: Json): boolean => {
  const refs = (table?.['refs'] ?? {}) as { [name: string]: Json }
  switch (requirement['type']) {
    case 'assert-create':
      return table === undefined
    case 'assert-table-uuid':
      return table?.['table-uuid'] === requirement['uuid']
    case 'assert-ref-snapshot-id':
      return (refs[textOf(requirement['ref'])]?.['snapshot-id'] ?? null) === requirement['snapshot-id']
    case 'assert-current-schema-id':
      return table?.['current-schema-id'] === requirement['current-schema-id']
    case 'assert-last-assigned-field-id':
      return table?.['last-column-id'] === requirement['last-assigned-field-id']
    default:
      throw new TypeError(`The requirement ${textOf(requirement['type'])} is not known`)
  }
}

/** Members that an update gives to a table. */
const changed = (table: Json, { action, ...rest }: Json): Json => {
  const of = (name: string): Value => rest[name] ?? null
  const and = (name: string, value: Value): Value => [...listOf(table[name]), value as Json]
  const last = (name: string, id: string): Value => listOf(table[name]).at(-1)?.[id] ?? null
  const ref = textOf(rest['ref-name'])
  switch (action) {
    case 'assign-uuid':
      return { 'table-uuid': of('uuid') }
    case 'upgrade-format-version':
    case 'set-location':
      return rest
    case 'add-schema':
      return { schemas: and('schemas', of('schema')), 'last-column-id': of('last-column-id') }
    case 'set-current-schema':
      return { 'current-schema-id': last('schemas', 'schema-id') }
    case 'add-spec':
      return { 'partition-specs': and('partition-specs', of('spec')) }
    case 'set-default-spec':
      return { 'default-spec-id': last('partition-specs', 'spec-id') }
    case 'add-sort-order':
      return { 'sort-orders': and('sort-orders', of('sort-order')) }
    case 'set-default-sort-order':
      return { 'default-sort-order-id': last('sort-orders', 'order-id') }
    case 'set-properties':
      return { properties: { ...(table['properties'] as Json), ...(of('updates') as Json) } }
    case 'add-snapshot': {
      const snapshot = of('snapshot') as Json
      const number = snapshot['sequence-number'] ?? 0
      return { snapshots: and('snapshots', snapshot), 'last-sequence-number': number }
    }
    case 'set-snapshot-ref': {
      const current: Json = ref === 'main' ? { 'current-snapshot-id': of('snapshot-id') } : {}
      return { refs: { ...(table['refs'] as Json), [ref]: rest }, ...current }
    }
    case 'remove-snapshots': {
      const ids = of('snapshot-ids') as Value[]
      return { snapshots: listOf(table['snapshots']).filter(one => !ids.includes(one['snapshot-id'] ?? null)) }
    }
    default:
      throw new TypeError(`The update ${textOf(action)} is not known`)
  }
}
