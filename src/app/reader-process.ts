// node-only: runs as a child process
/** The process of a reader: its own file systems and registrar, made of the same settings. */
import { clustersOf } from '../config/clusters.ts'
import type { FixedSettings } from '../config/table.ts'
import { createNameSpace } from '../filesystem/name-space.ts'
import { serveReads } from '../readers/serve-reads.ts'
import { createRegistrar } from '../rows/registrar/create-registrar.ts'
import { createLocalReads } from './local-reads.ts'

serveReads<FixedSettings>(async (settings, outside) => {
  const registrar = await createRegistrar(settings, outside.logger)
  const fileSystem = await createNameSpace(clustersOf(settings), outside.tokensOf)
  return await createLocalReads({ settings, fileSystem, registrar, ...outside })
})
