import { isObject } from '../../formats/members.ts'
import type { TableCommit } from '../catalog.ts'
import { Members } from '../members.ts'
import { toMetadata } from '../metadata.ts'
import { type CatalogAnswer, Unanswered } from './catalog-http.ts'
import type { CatalogTable } from './catalog-table.ts'
import type { TableChange } from './table-updates.ts'

/** As {@link TableCommit}; of a `conflict` the catalog says that the table is not as it has to be. */
export type ChangeAnswer = Exclude<TableCommit, 'refused'> | 'conflict'

/** Sends a change of a table. Rejects with `FileSystemError`: it is not made, as far as the catalog says. @param uuid of the table */
export const sendChange = async (
  table: CatalogTable,
  { requirements, updates, added }: TableChange,
  uuid: string,
): Promise<ChangeAnswer> => {
  const body = {
    identifier: { namespace: [...table.namespace], name: table.name },
    requirements: requirements.map(one => ({ ...one })),
    updates: updates.map(one => ({ ...one })),
  }
  let answer: CatalogAnswer
  try {
    answer = await table.ask(body)
  } catch (error) {
    if (error instanceof Unanswered) return 'unknown'
    throw error
  }
  if (answer.status === 409) return 'conflict'
  if (answer.status === 200) return isMade(answer, uuid, added) ? 'done' : 'unknown'
  // 503 says that it was not made; nothing is deleted all the same, since what is in between says so as well.
  if (answer.status >= 500 && answer.status !== 503) return 'unknown'
  throw table.toFault('change', answer)
}

/** Whether the answer has what was changed. */
const isMade = ({ json }: CatalogAnswer, uuid: string, added: readonly bigint[]): boolean => {
  if (!isObject(json)) return false
  try {
    const metadata = toMetadata(new Members(json['metadata'], '').json, '')
    return metadata.uuid === uuid && added.every(id => metadata.snapshots.some(snapshot => snapshot.id === id))
  } catch {
    return false
  }
}
