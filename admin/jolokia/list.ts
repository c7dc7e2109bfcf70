import type { Attribute, Bean, BeanOperation } from '../../src/beans/bean.ts'
import { BeanError } from '../../src/beans/bean-error.ts'
import { matchesName, parseObjectName } from '../../src/beans/object-name.ts'
import type { ValueType } from '../../src/beans/value.ts'
import { matchesGlob } from '../../src/text/glob.ts'
import type { BeanAccess } from '../access.ts'
import { writtenOnce } from '../json-text.ts'
import type { RequestTurns } from '../turns.ts'
import { JolokiaError } from './errors.ts'
import { extract } from './path.ts'
import type { JolokiaRequest, RequestOptions } from './request.ts'

/**
 * The tree of beans: domain, properties, then `desc`, `attr` and `op`. A path narrows it; its first two parts may hold
 * wildcards, which leave those levels in the answer.
 */
export const listMBeans = async (
  { path = [], options }: JolokiaRequest,
  access: BeanAccess,
  turns: RequestTurns,
): Promise<unknown> => {
  const all = await access.find()
  const isWanted = toSelector(path)
  const beans: Bean[] = []
  await turns.each(all, bean => {
    if (isWanted(bean)) beans.push(bean)
  })
  if (beans.length === 0 && path.length > 0) {
    throw new BeanError('bean-not-found', `No bean matches the path ${path.slice(0, 2).join('/')}`)
  }
  access.spend(beans.length)
  const narrows = path.slice(0, 2).every(part => !/[*?]/.test(part))
  const inner = path.slice(2)
  const toLeaf = inner.length === 0 && options.maxDepth === 0 ? toWritten(options) : toInfo(options)
  const tree = await toTree(beans, turns, toLeaf)
  const value = narrows ? extract(tree, path) : inner.length === 0 ? tree : extract(tree, ['*', '*', ...inner])
  const cut = options.maxDepth === 0 ? value : truncate(value, options.maxDepth)
  return options.listCache && path.length === 0 ? { cache: {}, domains: cut } : cut
}

const toSelector = ([domain, properties]: readonly string[]): ((bean: Bean) => boolean) => {
  if (domain === undefined) return () => true
  if (properties === undefined) return ({ name }) => matchesGlob(domain, name.domain)
  try {
    const pattern = parseObjectName(`${domain}:${properties}`)
    return ({ name }) => matchesName(pattern, name)
  } catch (error) {
    throw JolokiaError.illegal(error instanceof Error ? error.message : 'malformed path')
  }
}

const toTree = async (
  beans: readonly Bean[],
  turns: RequestTurns,
  toLeaf: (bean: Bean) => unknown,
): Promise<ReadonlyMap<string, ReadonlyMap<string, unknown>>> => {
  const domains = new Map<string, Map<string, unknown>>()
  await turns.each(beans, bean => {
    const { domain, canonical } = bean.name
    const members = domains.get(domain) ?? new Map<string, unknown>()
    members.set(canonical.slice(domain.length + 1), toLeaf(bean))
    domains.set(domain, members)
  })
  return domains
}

type InfoOptions = Pick<RequestOptions, 'listKeys'>

const toInfo =
  ({ listKeys }: InfoOptions) =>
  ({ name, description, attributes, operations }: Bean): unknown => ({
    desc: description,
    class: 'sluice',
    ...(listKeys ? { keys: Object.fromEntries(name.properties) } : {}),
    attr: Object.fromEntries(Object.entries(attributes).map(([key, attribute]) => [key, toAttribute(attribute)])),
    op: Object.fromEntries(Object.entries(operations).map(([key, operation]) => [key, toOperation(operation)])),
  })

const written = writtenOnce(toInfo({ listKeys: false }))
const writtenWithKeys = writtenOnce(toInfo({ listKeys: true }))
const toWritten = ({ listKeys }: InfoOptions) => (listKeys ? writtenWithKeys : written)

const toAttribute = ({ type, description, ...rest }: Attribute): unknown => {
  const writable = rest.write !== undefined
  return { type: javaTypes[type], desc: description, rw: writable, r: true, w: writable, is: false }
}

const toOperation = ({ arguments: args, returns, description }: BeanOperation): unknown => ({
  args: args.map(({ name, type }) => ({ name, type: javaTypes[type], desc: '' })),
  ret: javaTypes[returns],
  desc: description,
})

const javaTypes: Readonly<Record<ValueType, string>> = {
  string: 'java.lang.String',
  long: 'long',
  int: 'int',
  double: 'double',
  boolean: 'boolean',
  'string[]': '[Ljava.lang.String;',
  map: 'java.util.Map',
  list: 'java.util.List',
  void: 'void',
}

/** Below the depth, 1 replaces what is left out. */
const truncate = (value: unknown, depth: number): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (depth === 0) return 1
  const parts: Iterable<readonly [string, unknown]> = value instanceof Map ? value : Object.entries(value)
  return Object.fromEntries(Array.from(parts, ([key, part]) => [key, truncate(part, depth - 1)]))
}
