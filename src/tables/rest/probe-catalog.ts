import { createCatalogCalls } from './catalog-calls.ts'
import { describeAnswer } from './catalog-http.ts'
import type { RestCatalogSettings } from './rest-settings.ts'

/** Whether a catalog has the namespace of the settings. Rejects with `FileSystemError`: it does not answer, or not to this server. */
export const probeCatalog = async (settings: RestCatalogSettings): Promise<boolean> => {
  const calls = createCatalogCalls(settings)
  const answer = await calls.call({ path: levels => `namespaces/${levels}` })
  if (answer.status === 200) return true
  if (answer.status === 404 && describeAnswer(answer).type === 'NoSuchNamespaceException') return false
  throw calls.toFault(`tell of the namespace ${settings.namespace.join('.')}`, answer)
}
