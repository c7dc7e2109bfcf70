import { nearest } from '../../../src/text/nearest.ts'
import type { RpcClient } from '../../client/rpc-client.ts'
import type { BeanInfo } from '../../client/types.ts'
import { CliError, usageError } from '../command/failure.ts'
import { toShownJson } from '../print/to-json.ts'

/** Beans of one page of `list`. */
const pageSize = 500

/** All beans, page by page. */
export const listBeans = async (rpc: RpcClient, path?: string): Promise<readonly BeanInfo[]> => {
  const beans: BeanInfo[] = []
  for (let after: string | undefined; ; ) {
    const page = await rpc.list({
      limit: pageSize,
      ...(path === undefined ? {} : { path }),
      ...(after === undefined ? {} : { after }),
    })
    beans.push(...page.beans)
    after = page.next
    if (after === undefined) return beans
  }
}

/**
 * The full name of a bean: as it is, or by its `name=` alone (`HDFSWriter`), which people can type.
 * @throws CliError `not-found` with the nearest one, `usage` when several have the name
 */
export const resolveBean = async (rpc: RpcClient, name: string): Promise<string> => {
  if (name.includes(':')) return name
  const all = await rpc.search('*:*')
  const matching = all.filter(one => keysOf(one).includes(name))
  // `name=RTQueueStats` alone before `name=RTQueueStats,Type=…`.
  const whole = matching.filter(one => one.endsWith(`:name=${name}`))
  const [only, second] = whole.length === 1 ? whole : matching
  if (only !== undefined && second === undefined) return only
  if (only !== undefined)
    throw usageError(`${name} may be one of several beans`, `Give one in full: ${matching.slice(0, 10).join('  ')}`)
  const near = nearest(name, [...new Set(all.flatMap(keysOf))])
  throw new CliError(`There is no bean ${name}`, {
    code: 'bean-not-found',
    hint: near === undefined ? 'See `sluice beans list`.' : `Did you mean ${near}?`,
  })
}

/** One bean with what it offers. */
export const describeBean = async (rpc: RpcClient, mbean: string): Promise<BeanInfo> => {
  const [bean] = await listBeans(rpc, mbean)
  if (bean) return bean
  throw new CliError(`There is no bean ${mbean}`, { code: 'bean-not-found', hint: 'See `sluice beans list`.' })
}

/** What a bean offers under a name. @throws CliError `attribute-not-found`, `operation-not-found` with the nearest one */
export const memberOf = <Member>(
  members: Readonly<Record<string, Member>>,
  mbean: string,
  kind: 'attribute' | 'operation',
  name: string,
): Member => {
  const member = Object.hasOwn(members, name) ? members[name] : undefined
  if (member !== undefined) return member
  const near = nearest(name, Object.keys(members))
  const hint = near === undefined ? `See \`sluice beans list ${mbean}\`.` : `Did you mean ${near}?`
  throw new CliError(`${mbean} has no ${kind} ${name}`, { code: `${kind}-not-found`, hint })
}

/**
 * A word of the command line as a value of a bean's type.
 * @throws CliError `usage`
 */
export const toBeanValue = (word: string, type: string): unknown => {
  switch (type) {
    case 'string':
      return word
    case 'boolean':
      if (word === 'true' || word === 'false') return word === 'true'
      break
    case 'int':
    case 'long':
      if (/^-?\d{1,15}$/.test(word)) return Number(word)
      break
    case 'double':
      if (word.trim() !== '' && !Number.isNaN(Number(word))) return Number(word)
      break
    default:
      try {
        return JSON.parse(word)
      } catch {
        return type === 'string[]' ? word.split(',') : word
      }
  }
  throw usageError(`${word.slice(0, 80)} is not of type ${type}`)
}

/** A value of a bean for people, on one line. */
export const toValueText = (value: unknown): string => {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'string') return value
  if (typeof value === 'number' && !Number.isInteger(value)) return String(roundFraction(value))
  if (Array.isArray(value) && value.every(one => typeof one !== 'object')) return value.join(', ')
  return toShownJson(value, 0)
}

/** Six digits, and never fewer than are before the point. */
const roundFraction = (value: number): number => Number(Math.abs(value) < 1e5 ? value.toPrecision(6) : value.toFixed(1))

const keysOf = (mbean: string): string[] =>
  [...mbean.matchAll(/[:,](?:name|type)=([^,]*)/g)].flatMap(([, value]) => (value === undefined ? [] : [value]))
