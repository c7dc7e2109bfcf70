import { z } from 'zod'
import type { Role } from '../http/roles.ts'
import { isRecord } from '../is-record.ts'
import { type Content, documentShape, keepTagged, resolveReferences, type Schema } from './document.ts'
import type { NameRule } from './query.ts'

/** A parameter of an operation. One of the path is read only at the end of the path: it takes the rest. */
export type Parameter = {
  readonly name: string
  readonly in: 'query' | 'header' | 'path'
  readonly required: boolean
  /** Whether an empty value counts as an absent one; otherwise the schema judges it. */
  readonly allowEmptyValue: boolean
  /** Markdown, as all descriptions of the contract. */
  readonly description: string
  readonly example?: string | number | boolean | null | readonly string[]
  readonly schema: Schema
  /** Made from `schema`; judges the coerced value. */
  readonly validator: z.ZodType
}

/** An answer that an operation may give. */
export type DeclaredAnswer = {
  readonly status: number
  readonly description: string
  readonly headers: readonly { readonly name: string; readonly description: string }[]
  readonly content: Content
}

/** One method of one path. */
export type Operation = {
  readonly id: string
  /** Upper case. */
  readonly method: string
  /** A parameter at its end, `/webhdfs/v1/{path}`, takes the rest of a request's path. */
  readonly path: string
  readonly tag: string
  /** The role that a token needs, where tokens are required; undefined for an open operation. */
  readonly role: Role | undefined
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  /** How the names of parameters of the query are read (`x-sluice-any-case-parameters`). */
  readonly parameterNames: NameRule
  /** By media type or range, such as `ning/*`; empty for an operation without a body. */
  readonly requestContent: Content
  /** Whether bodies of other types are taken too (`x-sluice-any-content-type`); otherwise they are a 415. */
  readonly anyContentType: boolean
  /** By ascending status. */
  readonly answers: readonly DeclaredAnswer[]
  /**
   * Whether an `Accept` that excludes all media types of its answers is a 406 (`x-sluice-strict-accept`). The types of
   * errors are among them: many generated clients name the first that is JSON, and mean all.
   */
  readonly strictAccept: boolean
  /** Whether pages of other origins may call it (`x-sluice-cors`). */
  readonly cors: boolean
  /** Headers that those may send beside what is a parameter (`x-sluice-cors-headers`), in lower case. */
  readonly corsHeaders: readonly string[]
}

/** `openapi.yaml` as the server uses it. */
export type Contract = {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly operations: readonly Operation[]
  /** The whole document as written, references not resolved. */
  readonly document: Readonly<Record<string, unknown>>
}

/**
 * Checks a document and makes its validators.
 * @param only tags whose operations it is to have. @default all
 * @throws TypeError when it is not the OpenAPI 3.1 that {@link documentShape} describes, names an operation twice, or does
 * not say who may call one
 */
export const toContract = (document: unknown, only?: readonly string[]): Contract => {
  if (!isRecord(document)) throw new TypeError('The contract is not an object')
  const wanted = only === undefined ? document : keepTagged(document, only)
  const checked = documentShape.safeParse(resolveReferences(document, wanted))
  if (!checked.success) throw new TypeError(`The contract is malformed: ${z.prettifyError(checked.error)}`)
  const { info, tags, paths } = checked.data
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, declared]) =>
      declared === undefined ? [] : [toOperation(path, method, declared)],
    ),
  )
  refuseDuplicates(operations.map(({ id }) => id))
  return Object.freeze({
    title: info.title,
    version: info.version,
    description: info.description,
    tags: Object.freeze(tags),
    operations: Object.freeze(operations),
    document: Object.freeze(document),
  })
}

type Declared = NonNullable<z.infer<typeof documentShape>['paths'][string]['get']>

const toOperation = (path: string, method: string, declared: Declared): Operation => {
  const { operationId: id, security } = declared
  if (security === undefined) throw new TypeError(`Operation "${id}": its security is missing; who may call it?`)
  return Object.freeze({
    id,
    method: method.toUpperCase(),
    path,
    tag: declared.tags[0],
    role: security.find(({ token }) => token !== undefined)?.token?.[0],
    summary: declared.summary,
    description: declared.description,
    parameters: Object.freeze(
      declared.parameters.map(parameter => Object.freeze({ ...parameter, validator: toValidator(parameter) })),
    ),
    parameterNames: declared['x-sluice-any-case-parameters'] ? 'any-case' : 'as-sent',
    requestContent: { ...declared.requestBody.content, ...declared.requestBody['x-sluice-more-content'] },
    anyContentType: declared['x-sluice-any-content-type'],
    answers: Object.freeze(
      Object.entries(declared.responses)
        .map(([status, { description, headers, content }]) => ({
          status: Number(status),
          description,
          headers: Object.entries(headers).map(([name, header]) => ({ name, description: header.description })),
          content,
        }))
        .sort((a, b) => a.status - b.status),
    ),
    strictAccept: declared['x-sluice-strict-accept'],
    cors: declared['x-sluice-cors'],
    corsHeaders: declared['x-sluice-cors-headers'],
  })
}

const toValidator = ({ name, schema }: Declared['parameters'][number]): z.ZodType => {
  try {
    return z.fromJSONSchema(schema)
  } catch (cause) {
    throw new TypeError(`Parameter "${name}": its schema cannot be used`, { cause })
  }
}

const refuseDuplicates = (ids: readonly string[]): void => {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new TypeError(`The contract has two operations "${twice}"`)
}
