import { createOpenRows } from '../../src/rows/create-open-rows.ts'
import { noRegistrar } from '../../src/rows/registrar/registrar.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import type { FoundEvent } from './found-event.ts'

const openRows = createOpenRows()

/**
 * A `.seq` file, read by our own code: nothing on npm reads them. That Hadoop reads what we write is shown by
 * `sequence-file-hadoop.test.ts`.
 */
export const readSequenceFile = async (bytes: Uint8Array): Promise<readonly FoundEvent[]> => {
  const fileSystem = createMemoryFileSystem()
  await fileSystem.create('/events.seq', oneChunk(bytes))
  const status = await fileSystem.getFileStatus('/events.seq')
  const { batches } = await openRows({ fileSystem, status, registrar: noRegistrar, serializers: [] })
  const events: FoundEvent[] = []
  for await (const { rows } of batches) {
    for (const { names, values } of rows) {
      events.push({ name: '', fields: names.map((name, index) => [name, values[index]] as const) })
    }
  }
  return events
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
