import type { FileSystemError } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import type { Json } from '../members.ts'
import type { CatalogCalls } from './catalog-calls.ts'
import { type CatalogAnswer, describeAnswer } from './catalog-http.ts'
import type { RestCatalogSettings } from './rest-settings.ts'

/** A table by its name in the namespace of the settings, whether it is there or not. */
export type CatalogTable = {
  readonly namespace: readonly string[]
  readonly name: string
  /** For messages: `the table events.Order of the catalog https://…`. */
  readonly where: string
  /** Asks for it, or changes it. */
  ask(body?: Json): Promise<CatalogAnswer>
  /** Asks for a table of its namespace to be made. */
  make(body: Json): Promise<CatalogAnswer>
  /** Makes its namespace, each level that is not there. */
  makeNamespace(): Promise<void>
  /** Why an answer is of no use. @param does for people: `load` */
  toFault(does: string, answer: CatalogAnswer): FileSystemError
}

/** @param path its last part is the name */
export const toCatalogTable = (
  calls: CatalogCalls,
  { uri, namespace }: RestCatalogSettings,
  path: string,
): CatalogTable => {
  const name = baseName(path)
  const fullName = `the table ${[...namespace, name].join('.')}`
  const ask = (to: (levels: string) => string, body: Json | undefined): Promise<CatalogAnswer> =>
    calls.call({ path: to, ...(body ? { body } : {}) })
  return {
    namespace,
    name,
    where: `${fullName} of the catalog ${uri}`,
    ask: body => ask(levels => `namespaces/${levels}/tables/${encodeURIComponent(name)}`, body),
    make: body => ask(levels => `namespaces/${levels}/tables`, body),
    makeNamespace: async () => {
      for (let levels = 1; levels <= namespace.length; levels++) {
        const upTo = namespace.slice(0, levels)
        const answer = await ask(() => 'namespaces', { namespace: upTo, properties: {} })
        if (answer.status !== 200 && answer.status !== 409)
          throw calls.toFault(`make the namespace ${upTo.join('.')}`, answer)
      }
    },
    toFault: (does, answer) => calls.toFault(`${does} ${fullName}`, answer),
  }
}

/** Said by the catalog itself: what is in between knows nothing of tables. */
export const isNoSuch = (answer: CatalogAnswer): boolean =>
  answer.status === 404 && /^NoSuch(?:Table|Namespace)Exception$/.test(describeAnswer(answer).type)
