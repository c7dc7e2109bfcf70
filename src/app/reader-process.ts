// node-only: runs as a child process
/** The process of a reader: its own file systems and registrar, made of the same settings. */
import type { Settings } from '../config/table.ts'
import { createNameSpace } from '../filesystem/name-space.ts'
import { serveReads } from '../readers/serve-reads.ts'
import { createRegistrar } from '../rows/create-registrar.ts'
import { createLocalReads } from './reads.ts'

serveReads<Settings>(async (settings, outside) => {
  const registrar = createRegistrar(settings, outside.logger)
  const fileSystem = await createNameSpace(settings, outside.tokensOf)
  return await createLocalReads({ settings, fileSystem, registrar, ...outside })
})
