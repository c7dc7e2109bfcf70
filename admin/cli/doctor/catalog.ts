import type { Settings } from '../../../src/config/table.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { toCatalogSettings } from '../../../src/spool/to-spool-settings.ts'
import { probeCatalog } from '../../../src/tables/rest/probe-catalog.ts'
import { type DoctorCheck, fail, ok, toCheckReason, within } from './check.ts'

/** Whether the REST catalog of the tables answers, and to this server. */
export const checkCatalog = async (settings: Settings): Promise<readonly DoctorCheck[]> => {
  const catalog = toCatalogSettings(settings)
  if (!catalog) return []
  const name = 'catalog of tables'
  const namespace = `the namespace ${catalog.namespace.join('.')}`
  try {
    const isThere = await within(probeCatalog(catalog))
    return [ok(name, isThere ? `answers, and has ${namespace}` : `answers; ${namespace} will be made`)]
  } catch (error) {
    const advice =
      'Is collector.output.catalog what its clients call its uri, without /v1, and does it know collector.output.rest.token or collector.output.rest.credential? Events wait on the local disk until it answers.'
    // It names the address; what is behind it does not.
    const reason = error instanceof FileSystemError ? error.message : toCheckReason(error)
    return [fail(name, reason, advice)]
  }
}
