import { isRecord } from '../../src/is-record.ts'
import { JolokiaError } from './errors.ts'
import { splitPath } from './path.ts'

/** What a request may ask for; what it does not need is undefined. */
export type JolokiaRequest = {
  readonly type: RequestType
  readonly mbean?: string
  /** Absent means all. */
  readonly attribute?: string | readonly string[]
  readonly operation?: string
  readonly arguments?: readonly unknown[]
  readonly value?: unknown
  /** Path into the value. */
  readonly path?: readonly string[]
  readonly options: RequestOptions
}

export type RequestType = (typeof requestTypes)[number]
export const requestTypes = ['read', 'write', 'exec', 'search', 'list', 'version'] as const

/** Processing parameters, of the query or of a request's `config`; those that are not here change nothing. */
export type RequestOptions = {
  /** Levels of `list`; 0 means all. */
  readonly maxDepth: number
  /** Failed attributes become text in the answer. */
  readonly ignoreErrors: boolean
  readonly includeRequest: boolean
  /** `list` in two parts, as clients of 2.1 and later ask for. */
  readonly listCache: boolean
  /** `list` with the properties of names. */
  readonly listKeys: boolean
}

/** A request and how the answer names it. */
export type ParsedRequest = { readonly request: JolokiaRequest; readonly echo: Readonly<Record<string, unknown>> }

/** Reads one request of a POST. @throws JolokiaError 400 */
export const parsePost = (body: unknown, query: URLSearchParams): ParsedRequest => {
  if (!isRecord(body)) throw JolokiaError.illegal('Expected an object with type and mbean')
  if (body['target'] !== undefined) throw JolokiaError.forbidden('Requests are not passed on to another target')
  const config = isRecord(body['config']) ? body['config'] : {}
  const options = toOptions(name => config[name] ?? query.get(name))
  const { type, mbean, attribute, operation, arguments: args, path, value } = body
  const asked = { type, mbean, attribute: attribute ?? undefined, operation, arguments: args, path: path ?? undefined }
  return toParsed({ ...asked, value }, options)
}

/**
 * Reads the request of a GET: the parts of its path after `/jolokia`, or the query parameter `p`. @throws JolokiaError
 */
export const parseGet = (path: string, query: URLSearchParams): ParsedRequest => {
  const asked = [path, query.get('p') ?? ''].map(text => text.replace(/^\/+|(?<!!)\/+$/g, ''))
  const parts = splitPath(asked.find(text => text !== '') ?? 'version')
  const options = toOptions(name => query.get(name))
  const [type = 'version', mbean, member, ...rest] = parts
  switch (type) {
    case 'version':
      return toParsed({ type }, options)
    case 'search':
      return toParsed({ type, mbean }, options)
    case 'list':
      return toParsed({ type, path: parts.length > 1 ? parts.slice(1) : undefined }, options)
    case 'read':
      return toParsed(
        { type, mbean, attribute: toAttribute(member), path: rest.length > 0 ? rest : undefined },
        options,
      )
    case 'write':
    case 'exec':
      throw JolokiaError.forbidden(`${type} changes something, so it takes POST`)
    default:
      throw JolokiaError.illegal(`There is no request type ${JSON.stringify(type.slice(0, 40))}`)
  }
}

/** `*` and nothing mean all attributes, commas separate several. */
const toAttribute = (text: string | undefined): unknown => {
  if (text === undefined || text === '*') return undefined
  return text.includes(',') ? text.split(',') : text
}

const toParsed = (raw: Readonly<Record<string, unknown>>, options: RequestOptions): ParsedRequest => {
  const type = requestTypes.find(one => one === String(raw['type']).toLowerCase())
  if (type === undefined) throw JolokiaError.illegal(`type: expected one of ${requestTypes.join(', ')}`)
  const { mbean, operation, attribute, arguments: args, path } = raw
  const echo = Object.fromEntries(Object.entries({ ...raw, type }).filter(([, value]) => value !== undefined))
  return {
    echo: Array.isArray(path)
      ? { ...echo, path: path.map(part => String(part).replace(/[!/]/g, '!$&')).join('/') }
      : echo,
    request: {
      type,
      options,
      ...(needs(type, ['read', 'write', 'exec', 'search']) ? { mbean: toText(mbean, 'mbean') } : {}),
      ...(type === 'read' && attribute !== undefined ? { attribute: toTexts(attribute) } : {}),
      ...(type === 'write' ? { attribute: toText(attribute, 'attribute'), value: raw['value'] } : {}),
      ...(type === 'exec' ? { operation: toText(operation, 'operation'), arguments: toArguments(args) } : {}),
      ...(path === undefined ? {} : { path: toPath(path) }),
    },
  }
}

const needs = (type: RequestType, types: readonly RequestType[]): boolean => types.includes(type)

const toText = (value: unknown, name: string): string => {
  if (typeof value !== 'string' || value === '') throw JolokiaError.illegal(`${name} is missing`)
  return value
}

const toTexts = (value: unknown): string | readonly string[] =>
  Array.isArray(value) ? value.map(one => toText(one, 'attribute')) : toText(value, 'attribute')

const toArguments = (value: unknown): readonly unknown[] => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

const toPath = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.map(String)
  return splitPath(toText(value, 'path').replace(/^\//, ''))
}

const toOptions = (get: (name: string) => unknown): RequestOptions => {
  const isOn = (name: string, preset = false): boolean => {
    const value = get(name)
    return value === null || value === undefined ? preset : value === true || value === 'true'
  }
  const depth = Number(get('maxDepth') ?? 0)
  return {
    maxDepth: Number.isInteger(depth) && depth > 0 ? depth : 0,
    ignoreErrors: isOn('ignoreErrors'),
    includeRequest: isOn('includeRequest', true),
    listCache: isOn('listCache'),
    listKeys: isOn('listKeys'),
  }
}
