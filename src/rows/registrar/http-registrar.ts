import { Buffer } from 'node:buffer'
import { createWatched } from '../../current.ts'
import { startTimeout } from '../../runtime/timers.ts'
import { noTypes, type Registrar, type SchemaField, schemaTypes } from './registrar.ts'

export type HttpRegistrarOptions = {
  /** Address of the registry; `/registrar` is added to one without a path. */
  readonly url: string
  /** How often all types are fetched. */
  readonly refreshMs: number
  /** @default the global one */
  readonly fetch?: typeof fetch
  readonly log?: { warn(details: object, message: string): void }
}

/** How long an answer may take, and how large it may be. */
const timeoutMs = 10_000
const maxAnswerBytes = 16 * 1024 * 1024

/** Most types and fields of a type that are kept. */
const maxTypes = 100_000
const maxFields = 4_096

/** First wait after a failure; doubled up to the time between refreshes. */
const firstRetryMs = 1_000

/**
 * Asks a schema registry (`GET /registrar`) for all types: at once, in the background, and then again and again. A
 * failure keeps what was known, and is logged once until it passes. Events wait for nothing.
 */
export const createHttpRegistrar = (options: HttpRegistrarOptions): Registrar => {
  const { refreshMs, fetch: get = globalThis.fetch, log } = options
  const endpoint = toEndpoint(options.url)
  const stop = new AbortController()
  const known = createWatched(noTypes)
  let timer: NodeJS.Timeout | undefined
  let retryMs = firstRetryMs
  let isFailing = false

  const refresh = async (): Promise<void> => {
    let waitMs = refreshMs
    try {
      known.set({ ...noTypes, fields: await fetchTypes(get, endpoint, stop.signal, log) })
      isFailing = false
      retryMs = firstRetryMs
    } catch (error) {
      if (stop.signal.aborted) return
      if (!isFailing)
        log?.warn(
          { err: error, url: endpoint.shown },
          'the schema registry does not answer; the previous fields remain in effect',
        )
      isFailing = true
      waitMs = Math.min(retryMs, refreshMs)
      retryMs *= 2
    }
    if (stop.signal.aborted) return
    timer = startTimeout(() => void refresh(), waitMs)
    timer.unref()
  }
  void refresh()

  return {
    fields: typeName => known.current().fields.get(typeName),
    known,
    close() {
      stop.abort()
      clearTimeout(timer)
    },
  }
}

/** `fetch` takes no user in a URL, and an error would show it; the log gets neither that nor the query. */
type Endpoint = { readonly url: string; readonly shown: string; readonly headers: Readonly<Record<string, string>> }

const toEndpoint = (text: string): Endpoint => {
  const url = new URL(text)
  if (url.pathname === '/') url.pathname = '/registrar'
  // Of the setting, not of the registry.
  if (url.searchParams.has('tls')) url.searchParams.delete('tls')
  const user = [url.username, url.password].map(decodeURIComponent).join(':')
  url.username = ''
  url.password = ''
  return {
    url: url.href,
    shown: `${url.origin}${url.pathname}`,
    headers: {
      accept: 'application/json',
      ...(user === ':' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
    },
  }
}

const fetchTypes = async (
  get: typeof fetch,
  { url, headers }: Endpoint,
  stop: AbortSignal,
  log: HttpRegistrarOptions['log'],
): Promise<ReadonlyMap<string, readonly SchemaField[]>> => {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  const response = await get(url, { headers, signal, redirect: 'manual' })
  // The server, or a proxy in between, could redirect the request, with the password, to any internal address.
  if (response.type === 'opaqueredirect' || isRedirect(response.status)) {
    await response.body?.cancel()
    throw new Error('The answer leads to another address, and redirects are not followed: set the final one')
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`The answer has status ${response.status}`)
  }
  const answer: unknown = JSON.parse(await readLimited(response))
  const listed = (answer as { readonly types?: unknown } | null)?.types
  if (!Array.isArray(listed)) throw new Error('The answer is not {"types": […]}')
  const types = new Map<string, readonly SchemaField[]>()
  for (const type of listed.slice(0, maxTypes)) {
    try {
      const { name, fields } = toType(type)
      types.set(name, fields)
    } catch (error) {
      // One bad type must not cost the others.
      log?.warn({ err: error }, 'the schema registry has a type that cannot be used')
    }
  }
  return types
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

const readLimited = async (response: Response): Promise<string> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > maxAnswerBytes) throw new Error(`The answer has more than ${maxAnswerBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const toType = (json: unknown): { readonly name: string; readonly fields: readonly SchemaField[] } => {
  const { name, schema } = (json ?? {}) as { readonly name?: unknown; readonly schema?: unknown }
  if (typeof name !== 'string' || name === '') throw new TypeError('Cannot use a type without a name')
  if (!Array.isArray(schema)) throw new TypeError(`Cannot use type "${name}": it has no schema`)
  if (schema.length > maxFields) throw new TypeError(`Cannot use type "${name}": more than ${maxFields} fields`)
  const fields = schema.map(field => toField(field, name)).sort((a, b) => a.id - b.id)
  return { name, fields }
}

const toField = (json: unknown, typeName: string): SchemaField => {
  const { name, type, position } = (json ?? {}) as { name?: unknown; type?: unknown; position?: unknown }
  const id = Number(position)
  if (typeof name !== 'string' || name === '') throw new TypeError(`Cannot use type "${typeName}": a field has no name`)
  if (position === null || !Number.isInteger(id) || Math.abs(id) > 0x7fff) {
    throw new TypeError(`Cannot use type "${typeName}": field "${name}" has no position of 16 bits`)
  }
  const known = typeof type === 'string' ? type.toLowerCase() : ''
  if (!schemaTypes.has(known)) throw new TypeError(`Cannot use type "${typeName}": field "${name}" has an unknown type`)
  return { id, name, type: known }
}
