import { z } from 'zod'
import type { Bean } from '../../src/beans/bean.ts'
import { writtenOnce } from '../json-text.ts'
import type { Product } from '../protocol.ts'
import { defineMethod, nameParam, type RpcMethod } from './method.ts'
import { toOpenRpc } from './openrpc.ts'

/** Beans of one page. */
const defaultLimit = 100
const maxLimit = 1_000
/** Most attributes that one call may name. */
const maxAttributes = 200
/** Most arguments of a call; no operation takes more. */
const maxArguments = 20

const memberName = z.string().min(1).max(200)
const beanName = nameParam('A name.')

/** All methods by name; a map, so that a client's name is never looked up in a prototype. */
export const methods: ReadonlyMap<string, RpcMethod> = new Map([
  [
    'version',
    defineMethod({
      summary: 'Name and version of the server.',
      params: z.strictObject({}),
      result: {
        type: 'object',
        required: ['product', 'version', 'node', 'vendor', 'startedAt'],
        properties: {
          product: { const: 'sluice' },
          version: { type: 'string' },
          node: { type: 'string' },
          vendor: { type: 'string', description: 'Domain prefix of bean names.' },
          startedAt: { type: 'integer', description: 'ms since the epoch.' },
        },
      },
      run: (_, { product }) => ({ product: 'sluice', ...product }),
    }),
  ],
  [
    'list',
    defineMethod({
      summary: 'Beans with their attributes and operations, in the order of their names.',
      params: z.strictObject({
        path: nameParam(
          'A name, a pattern, or a domain with or without properties behind a slash; all without it.',
        ).optional(),
        limit: z.int().min(1).max(maxLimit).describe(`Beans per page; ${defaultLimit} without it.`).optional(),
        after: nameParam('`next` of the page before.').optional(),
      }),
      result: {
        type: 'object',
        required: ['beans'],
        properties: {
          beans: {
            type: 'array',
            items: { type: 'object', required: ['mbean', 'description', 'attributes', 'operations'] },
          },
          next: { type: 'string', description: 'Where the next page begins; absent on the last.' },
        },
      },
      run: async ({ path, limit = defaultLimit, after }, { beans }) => {
        const page = await beans.page({ limit, after, pattern: path === undefined ? undefined : toPattern(path) })
        return { ...page, beans: page.beans.map(writtenInfo) }
      },
    }),
  ],
  [
    'search',
    defineMethod({
      summary: 'Names of the beans that match a pattern, sorted.',
      params: z.strictObject({ pattern: nameParam('An object name with wildcards, such as `*:type=BodyResource,*`.') }),
      result: { type: 'array', items: { type: 'string' } },
      run: async ({ pattern }, { beans }) => (await beans.find(pattern)).map(({ name }) => name.canonical),
    }),
  ],
  [
    'read',
    defineMethod({
      summary: 'Attributes of a bean, or of all beans that match a pattern; of those, the ones that have them.',
      params: z.strictObject({
        mbean: nameParam('A name or a pattern.'),
        attribute: z
          .union([memberName, z.array(memberName).max(maxAttributes)])
          .describe('One name: its value. Several, or none for all: an object by name.')
          .optional(),
      }),
      result: {
        type: 'object',
        required: ['value', 'timestamp'],
        properties: {
          value: { description: 'The value; an object by attribute; with a pattern, an object by bean and attribute.' },
          timestamp: { type: 'integer', description: 'ms since the epoch.' },
        },
      },
      run: async ({ mbean, attribute }, { beans, now }) => {
        const timestamp = now()
        return { value: await beans.read(mbean, attribute), timestamp }
      },
    }),
  ],
  [
    'write',
    defineMethod({
      summary: 'Sets an attribute, and gives its old value. Needs the role operate.',
      params: z.strictObject({
        mbean: beanName,
        attribute: memberName,
        value: z.unknown().describe('Of the type that `list` tells.'),
      }),
      result: { description: 'The old value.' },
      run: ({ mbean, attribute, value }, { beans }) => beans.write(mbean, attribute, value),
    }),
  ],
  [
    'exec',
    defineMethod({
      summary: 'Runs an operation, and gives what it returns. Needs the role operate; a query only view.',
      params: z.strictObject({
        mbean: beanName,
        operation: memberName,
        arguments: z
          .array(z.unknown())
          .max(maxArguments)
          .describe('As many as `list` tells; none without it.')
          .optional(),
      }),
      result: { description: 'What the operation returned: what it did or changed.' },
      run: ({ mbean, operation, arguments: args = [] }, { beans }) => beans.exec(mbean, operation, args),
    }),
  ],
  [
    'rpc.discover',
    defineMethod({
      summary: 'The OpenRPC document of these methods.',
      params: z.strictObject({}),
      result: { type: 'object' },
      run: (_, { product }) => writtenOpenRpc(product),
    }),
  ],
])

/** `domain`, `domain/properties` and `domain:properties` mean beans; `*` matches any. */
const toPattern = (path: string): string => {
  if (path.includes(':')) return path
  const slash = path.indexOf('/')
  return slash < 0 ? `${path}:*` : `${path.slice(0, slash)}:${path.slice(slash + 1)}`
}

/** What `list` says of a bean. */
export const toBeanInfo = ({ name, description, attributes, operations }: Bean): Readonly<Record<string, unknown>> => ({
  mbean: name.canonical,
  description,
  attributes: Object.fromEntries(
    Object.entries(attributes).map(([key, { type, description: about, write }]) => [
      key,
      { type, description: about, writable: write !== undefined },
    ]),
  ),
  operations: Object.fromEntries(
    Object.entries(operations).map(([key, { arguments: args, returns, description: about, isQuery = false }]) => [
      key,
      { arguments: args, returns, description: about, isQuery },
    ]),
  ),
})

const writtenInfo = writtenOnce(toBeanInfo)
const writtenOpenRpc = writtenOnce((product: Product) => toOpenRpc(methods, product))
