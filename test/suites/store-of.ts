import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import type { Store } from '../foreign/store.ts'
import { listAll } from './list-all.ts'

/** The files of a file system for readers of other make. */
export const storeOf = (fileSystem: FileSystem): Store => ({
  list: directory => listAll(fileSystem, directory),
  read: async path => new Uint8Array(await new Response(await fileSystem.open(path)).arrayBuffer()),
})
