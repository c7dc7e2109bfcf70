import { expect, test } from 'vitest'
import { writeArchive } from '../../../../src/gateway/bytes/archive.ts'
import { tar } from '../../../../src/gateway/bytes/tar.ts'
import { createAheadMemory } from '../../../../src/gateway/open-ahead.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'

test('no name leads out of the directory, and no two become one', async () => {
  const fileSystem = createMemoryFileSystem()
  const names = ['x\\..\\..\\evil', 'a\\b', 'a%5Cb', 'a%255Cb', '100%', 'plain']
  for (const name of names) await fileSystem.create(`/t/${name}`, chunksOf('x'))
  await fileSystem.mkdirs('/t/d\\e')
  const written: string[] = []
  const format = {
    ...tar,
    directory: (name: string) => {
      written.push(name)
      return new Uint8Array()
    },
    file: async function* (name: string, _status: unknown, bytes: AsyncIterable<Uint8Array>) {
      written.push(name)
      yield* bytes
    },
  }
  const root = await fileSystem.getFileStatus('/t')
  const signal = new AbortController().signal
  await Array.fromAsync(writeArchive({ fileSystem, ahead: createAheadMemory() }, root, { format }, signal))
  expect(written.sort()).toEqual(
    ['t/d%5Ce', 't/x%5C..%5C..%5Cevil', 't/a%5Cb', 't/a%255Cb', 't/a%25255Cb', 't/100%', 't/plain'].sort(),
  )
})
