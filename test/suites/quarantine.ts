import { type FileSystem, FileSystemError } from '../../src/filesystem/filesystem.ts'
import { createTestServer, postJson, type TestServer, type TestServerOptions } from './admin.ts'
import { fromVerbs } from './flat-filesystem.ts'
import { createMemoryFileSystem, type MemoryOptions } from './memory-filesystem.ts'

/** What the file system does with each call from now on. */
export type Faults = { fail: NonNullable<MemoryOptions['fail']> }

/** Starts a server with two files set aside: three events that were refused, and two whose RENAME had no answer. */
export const startQuarantine = async (
  options: TestServerOptions = {},
): Promise<{ readonly server: TestServer; readonly faults: Faults }> => {
  const faults: Faults = { fail: () => undefined }
  const fileSystem = createMemoryFileSystem({ fail: (operation, path) => faults.fail(operation, path) })
  const server = await createTestServer({
    ...options,
    fileSystem,
    set: ['collector.output.format=jsonl', ...(options.set ?? [])],
  })
  const send = async (eventName: string, count: number, fail: Faults['fail']): Promise<void> => {
    faults.fail = fail
    const events = Array.from({ length: count }, (_, n) => ({ eventName, payload: { n: n + 1 } }))
    await postJson(server, JSON.stringify(events))
    server.clock.ms += 30_000
    await server.beat()
  }
  await send('Lost', 2, toLostRename())
  await send('Refused', 3, (operation, path) =>
    operation === 'create' ? new FileSystemError('denied', path, 'no room for you') : undefined,
  )
  return { server, faults }
}

/** A RENAME has no answer, and what it renamed is seen nowhere. */
const toLostRename = (): Faults['fail'] => {
  let isSent = false
  return (operation, path) => {
    if (operation === 'rename') isSent = true
    if (isSent && operation === 'getFileStatus') return new FileSystemError('not-found', path, 'gone')
    return operation === 'rename' ? 'lost-reply' : undefined
  }
}

/** Starts a server with one event set aside, because another file got its name just before. */
export const startConflict = async (
  options: TestServerOptions = {},
): Promise<{ readonly server: TestServer; readonly fileSystem: FileSystem }> => {
  const memory = createMemoryFileSystem()
  let isTaken = false
  const fileSystem = fromVerbs<typeof memory>({
    ...memory,
    rename: async (source, target, how) => {
      if (!isTaken) {
        isTaken = true
        await memory.create(
          target,
          (async function* () {
            yield Buffer.from('another one\n')
          })(),
        )
      }
      await memory.rename(source, target, how)
    },
  })
  const set = ['collector.output.format=jsonl', ...(options.set ?? [])]
  const server = await createTestServer({ ...options, fileSystem, set })
  await postJson(server, JSON.stringify([{ eventName: 'Twice', payload: { n: 1 } }]))
  server.clock.ms += 30_000
  await server.beat()
  return { server, fileSystem }
}
