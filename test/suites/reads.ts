import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import type { ReadContext } from '../../src/gateway/context.ts'
import { createMarkMemory } from '../../src/gateway/mark-memory.ts'
import { createReads, type Reads } from '../../src/gateway/reads.ts'
import { silentLogger } from '../../src/log/log.ts'
import { createOpenRows } from '../../src/rows/create-open-rows.ts'
import { noRegistrar } from '../../src/rows/registrar.ts'

/** What reads of files work with, in this process. */
export const createReadContext = (fileSystem: FileSystem): ReadContext => {
  const openRows = createOpenRows()
  return {
    fileSystem,
    marks: createMarkMemory(),
    logger: silentLogger,
    openRowFile: (status, more) => openRows({ fileSystem, status, registrar: noRegistrar, serializers: [], ...more }),
  }
}

/** Reads of files without pages. */
export const createTestReads = (fileSystem: FileSystem): Reads =>
  createReads(createReadContext(fileSystem), () => new Response('a page'))
