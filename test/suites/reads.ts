import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import type { ReadContext } from '../../src/gateway/context.ts'
import { createRewriteMemory } from '../../src/gateway/iceberg/rewrite-memory.ts'
import { type AheadMemory, createAheadMemory } from '../../src/gateway/open-ahead.ts'
import { createReads, type Reads } from '../../src/gateway/reads.ts'
import { createMarkMemory } from '../../src/gateway/rows/mark-memory.ts'
import { createTableDirectories } from '../../src/gateway/tables/table-directories.ts'
import { silentLogger } from '../../src/log/log.ts'
import { createOpenRows } from '../../src/rows/create-open-rows.ts'
import { noRegistrar } from '../../src/rows/registrar/registrar.ts'

/** What reads of files work with, in this process. */
export const createReadContext = (fileSystem: FileSystem, ahead = createAheadMemory()): ReadContext => {
  const openRows = createOpenRows()
  return {
    fileSystem,
    tables: createTableDirectories(fileSystem),
    marks: createMarkMemory(),
    ahead,
    rewritten: createRewriteMemory(),
    logger: silentLogger,
    openRowFile: (status, more) => openRows({ fileSystem, status, registrar: noRegistrar, serializers: [], ...more }),
  }
}

/** Reads of files without pages. */
export const createTestReads = (fileSystem: FileSystem, ahead?: AheadMemory): Reads =>
  createReads(createReadContext(fileSystem, ahead), () => new Response('a page'))
