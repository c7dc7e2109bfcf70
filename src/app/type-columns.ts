import { baseName, parsePath } from '../filesystem/path.ts'
import type { TypeColumns } from '../gateway/context.ts'
import { encodeEventName } from '../spool/bucket.ts'
import type { SchemaView } from '../spool/parquet/schema-view.ts'

/** Finds the columns of an event type by the directory of its files; undefined for every other path. */
export const createTypeColumns =
  (outputDirectory: string, schemas: Pick<SchemaView, 'describe'>) =>
  (path: string): TypeColumns | undefined => {
    try {
      const directory = parsePath(path)
      const name = decodeURIComponent(baseName(directory))
      const own = parsePath(`${outputDirectory}/${encodeEventName(name)}`)
      return directory === own ? schemas.describe(name) : undefined
    } catch {
      // No path of an event type: its page is shown, or refused, as any other.
      return undefined
    }
  }
