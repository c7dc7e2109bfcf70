/**
 * A process that makes every change that a local file system knows, one after the other, and says after each what it did,
 * in the form of an answer, which the trace notes. Run as `node file-calls.ts <root>`.
 */
import { writeSync } from 'node:fs'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import { flat } from '../flat-filesystem.ts'

const say = (done: string): void => void writeSync(1, `HTTP/1.1 200 ${done}\n`)

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

const fileSystem = flat(await createLocalFileSystem({ root: process.argv[2] ?? '' }))
say('opened')
await fileSystem.mkdirs('/made/deep/er')
say('mkdirs')
await fileSystem.create('/new/directory/file', bytes('one'))
say('create')
await fileSystem.create('/new/directory/file', bytes('two'), { overwrite: true })
say('create, overwrite')
await fileSystem.append('/new/directory/file', bytes('three'))
say('append')
const meanwhile = async function* () {
  yield* bytes('five')
  await fileSystem.append('/new/directory/file', bytes('four'))
}
await fileSystem.append('/new/directory/file', meanwhile())
say('append, behind another one')
await fileSystem.setPermission('/new/directory/file', 0o640)
say('set permission')
await fileSystem.setTimes('/new/directory/file', { modificationTime: 1 })
say('set times')
await fileSystem.rename('/new/directory/file', '/other/place/file')
say('rename')
await fileSystem.rename('/other/place/file', '/other/place/renamed')
say('rename beside')
await fileSystem.create('/new/directory/again', bytes('three'))
say('create again')
await fileSystem.rename('/new/directory/again', '/other/place/renamed', { overwrite: true })
say('rename, overwrite')
await fileSystem.rename('/new/directory', '/moved/directory')
say('rename of a directory')
await fileSystem.delete('/other/place/renamed')
say('delete')
await fileSystem.delete('/moved/directory')
say('delete of a directory')
await fileSystem.delete('/made', { recursive: true })
say('delete, recursive')
await fileSystem.close()
