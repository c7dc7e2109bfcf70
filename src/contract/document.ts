import { z } from 'zod'
import { roles } from '../http/roles.ts'
import { isRecord } from '../is-record.ts'

/** How deep `openapi.yaml` may nest, references followed. It nests 20 levels; a reference to itself would not end. */
const maxDepth = 100

/**
 * As the shape, of an object that is looked at once however often it comes: what a `$ref` names is in a hundred places,
 * and to look at it in each takes most of a start.
 */
const once = <Shape extends z.ZodType>(shape: Shape) => {
  const known = new WeakMap<object, z.output<Shape>>()
  return z.unknown().transform((value, context): z.output<Shape> => {
    const before = isRecord(value) ? known.get(value) : undefined
    if (before !== undefined) return before
    const { success, data, error } = shape.safeParse(value)
    if (!success) {
      for (const { message, path } of error.issues) context.addIssue({ code: 'custom', message, path, input: value })
      return z.NEVER
    }
    if (isRecord(value)) known.set(value, data)
    return data
  })
}

const scalarShape = z.union([z.string(), z.number(), z.boolean(), z.null()])

const schemaShape = z.looseObject({
  type: z.enum(['string', 'integer', 'number', 'boolean', 'object', 'array']).exactOptional(),
  format: z.string().exactOptional(),
  description: z.string().exactOptional(),
  enum: z.array(z.string()).exactOptional(),
  const: scalarShape.exactOptional(),
  default: scalarShape.exactOptional(),
  minLength: z.number().exactOptional(),
  maxLength: z.number().exactOptional(),
  minimum: z.number().exactOptional(),
  maximum: z.number().exactOptional(),
  maxItems: z.number().exactOptional(),
  pattern: z.string().exactOptional(),
  required: z.array(z.string()).exactOptional(),
  get properties() {
    return z.record(z.string(), schemaShape).exactOptional()
  },
  get items() {
    return schemaShape.exactOptional()
  },
  get anyOf() {
    return z.array(schemaShape).exactOptional()
  },
  'x-sluice-absent': z.string().exactOptional(),
  'x-sluice-code': z.enum(['bad-parameter', 'bad-path']).exactOptional(),
  'x-sluice-expected': z.string().exactOptional(),
  'x-sluice-ignore-case': z.boolean().exactOptional(),
})

const contentShape = z.record(
  z.string(),
  z.looseObject({
    schema: once(schemaShape).optional(),
    example: z.unknown().optional(),
    examples: z.record(z.string(), z.looseObject({ summary: z.string(), value: z.unknown() })).default({}),
  }),
)

const parameterShape = z.looseObject({
  name: z.string(),
  in: z.enum(['query', 'header', 'path']),
  required: z.boolean().default(false),
  allowEmptyValue: z.boolean().default(false),
  description: z.string(),
  schema: schemaShape,
  example: z.union([scalarShape, z.array(z.string())]).exactOptional(),
})

const responseShape = z.looseObject({
  description: z.string(),
  headers: z.record(z.string(), z.looseObject({ description: z.string() })).default({}),
  content: contentShape.default({}),
})

const operationShape = z.looseObject({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  summary: z.string(),
  description: z.string(),
  parameters: z.array(once(parameterShape)).default([]),
  requestBody: z
    .looseObject({
      content: contentShape,
      /** Further media types that the server takes, which generators of clients do not see. */
      'x-sluice-more-content': contentShape.default({}),
    })
    .default({ content: {}, 'x-sluice-more-content': {} }),
  responses: z.record(z.string().regex(/^[1-5][0-9][0-9]$/), once(responseShape)),
  /**
   * `[]` for an open operation; `[{}, { token: [role] }]` where a deployment may ask for a token with that role.
   * Without it an operation is refused, and not open.
   */
  security: z.array(z.strictObject({ token: z.tuple([z.enum(roles)]).exactOptional() })).optional(),
  'x-sluice-any-case-parameters': z.boolean().default(false),
  'x-sluice-any-content-type': z.boolean().default(false),
  'x-sluice-cors': z.boolean().default(false),
  'x-sluice-cors-headers': z.array(z.string()).default([]),
  'x-sluice-strict-accept': z.boolean().default(false),
})

/** The part of OpenAPI 3.1 that `openapi.yaml` uses and the server reads, references resolved. */
export const documentShape = z.looseObject({
  openapi: z.string().startsWith('3.1.'),
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string() }),
  tags: z.array(z.looseObject({ name: z.string(), description: z.string() })),
  paths: z.record(
    z.string().startsWith('/'),
    z.record(z.enum(['get', 'post', 'put', 'delete']), operationShape.optional()),
  ),
})

/** A JSON Schema as `openapi.yaml` writes them. */
export type Schema = z.infer<typeof schemaShape>

/** The contents of a request or response by media type. */
export type Content = z.infer<typeof contentShape>

/** A document with no operations but those of some tags; what they refer to is among the rest of it. */
export const keepTagged = (document: Readonly<Record<string, unknown>>, tags: readonly string[]) => {
  const isTagged = (operation: unknown): boolean =>
    isRecord(operation) && Array.isArray(operation['tags']) && operation['tags'].some(tag => tags.includes(tag))
  const keep = (node: unknown, change: (value: unknown) => unknown): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      Object.entries(isRecord(node) ? node : {})
        .map(([key, value]) => [key, change(value)] as const)
        .filter(([, value]) => value !== undefined),
    )
  const paths = keep(document['paths'], methods => keep(methods, one => (isTagged(one) ? one : undefined)))
  return { ...document, paths, components: undefined }
}

/**
 * Puts in place of every `{ $ref: '#/…' }` what it names: the same object in place of equal ones.
 * @param part of the document in which that is done
 * @throws TypeError for a reference that names nothing, leaves the document, or contains itself
 */
export const resolveReferences = (document: unknown, part = document): unknown => {
  const named = new Map<string, unknown>()
  const resolve = (node: unknown, depth: number): unknown => {
    if (depth > maxDepth)
      throw new TypeError(`The contract nests more than ${maxDepth} levels; does a $ref name itself?`)
    if (Array.isArray(node)) return node.map(item => resolve(item, depth + 1))
    if (!isRecord(node)) return node
    const reference = node['$ref']
    if (typeof reference === 'string') {
      if (!named.has(reference)) named.set(reference, resolve(lookUp(document, reference), depth + 1))
      return named.get(reference)
    }
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(value, depth + 1)]))
  }
  return resolve(part, 0)
}

const lookUp = (document: unknown, reference: string): unknown => {
  let node = document
  for (const key of reference.replace(/^#\//, '').split('/')) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    node = isRecord(node) && Object.hasOwn(node, name) ? node[name] : undefined
  }
  if (!reference.startsWith('#/') || node === undefined) throw new TypeError(`The contract has no "${reference}"`)
  return node
}
