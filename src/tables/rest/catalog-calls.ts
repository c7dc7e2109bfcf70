/** Calls of Iceberg's REST catalog (`rest-catalog-open-api.yaml`), with what its configuration says of all of them. */
import { FileSystemError } from '../../filesystem/filesystem.ts'
import { stringifyJson } from '../../formats/json.ts'
import type { Json } from '../members.ts'
import { Members } from '../members.ts'
import { type AnswerLimits, askCatalog, type CatalogAnswer, describeAnswer } from './catalog-http.ts'
import { createCatalogTokens } from './catalog-tokens.ts'
import type { RestCatalogSettings } from './rest-settings.ts'

export type CatalogCall = {
  /** Behind the prefix, escaped. @param namespace escaped, as one part of a path */
  readonly path: (namespace: string) => string
  /** With one it is a POST. */
  readonly body?: Json
}

export type CatalogCalls = {
  /** Answers with any status. Rejects with `FileSystemError`; `Unanswered` where the call may have been heard. */
  call(call: CatalogCall): Promise<CatalogAnswer>
  /** Why an answer is of no use. @param does for people: `load the table events.Order` */
  toFault(does: string, answer: CatalogAnswer): FileSystemError
}

export type CatalogCallsOptions = {
  /** Ends what is asked. */
  readonly signal?: AbortSignal | undefined
  /** A clock that never goes back. @default that of the process */
  readonly monotonicMs?: () => number
  /** Of each answer. @default those of `askCatalog` */
  readonly limits?: AnswerLimits | undefined
}

/** What its configuration says. */
type Configuration = {
  readonly prefix: string
  /** Between the levels of a namespace, escaped. */
  readonly separator: string
}

export const createCatalogCalls = (
  settings: RestCatalogSettings,
  { signal, monotonicMs = () => performance.now(), limits }: CatalogCallsOptions = {},
): CatalogCalls => {
  const { uri, namespace, warehouse, prefix } = settings
  const tokens = createCatalogTokens(settings, { signal, monotonicMs, limits })
  let configuration: Configuration | undefined

  const ask = async (url: string, body?: Json): Promise<CatalogAnswer> => {
    const request = { method: body ? 'POST' : 'GET', url, signal, limits } as const
    const content = body ? { body: stringifyJson({ ...body }) } : {}
    const send = (token: string | undefined): Promise<CatalogAnswer> =>
      askCatalog({
        ...request,
        ...content,
        secrets: token === undefined ? [] : [token],
        headers: {
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      })
    const token = await tokens.current()
    const answer = await send(token)
    // Not heard, so that it can be said again: once, with another token.
    const isRefused = answer.status === 401 || answer.status === 419
    return isRefused && tokens.refused(token) ? await send(await tokens.current()) : answer
  }

  // A missing permission does not concern one table alone: events wait until it is granted.
  const toFault: CatalogCalls['toFault'] = (does, answer) =>
    new FileSystemError('unavailable', '/', `The catalog ${uri} did not ${does}: ${describeAnswer(answer).text}`)

  const configure = async (): Promise<Configuration> => {
    const query = warehouse === undefined ? '' : `?warehouse=${encodeURIComponent(warehouse)}`
    const does = 'give its configuration'
    const answer = await ask(`${uri}/v1/config${query}`)
    if (answer.status !== 200 || answer.json === undefined) throw toFault(does, answer)
    const members = new Members(answer.json, `${uri}/v1/config`)
    const said = new Map([...members.texts('defaults'), ...members.texts('overrides')])
    return {
      prefix: toPrefix(prefix ?? said.get('prefix') ?? ''),
      separator: said.get('namespace-separator') ?? '%1F',
    }
  }

  return {
    toFault,
    call: async ({ path, body }) => {
      configuration ??= await configure()
      const levels = namespace.map(encodeURIComponent).join(configuration.separator)
      return await ask(`${uri}/v1/${configuration.prefix}${path(levels)}`, body)
    },
  }
}

/** As it is, since it may be of several levels. */
const toPrefix = (prefix: string): string => {
  const path = prefix.replace(/^\/+|\/+$/g, '')
  return path === '' ? '' : `${path}/`
}
