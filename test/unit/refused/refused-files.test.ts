import { expect, test } from 'vitest'
import { GatewayError } from '../../../clients/gateway/error.ts'
import { SluiceError } from '../../../src/errors.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { createRefusedFiles, DamagedFile } from '../../../src/refused/refused-files.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

const read = (error: Error) => {
  const readJson = async (): Promise<Response> => {
    throw error
  }
  return Array.fromAsync(createRefusedFiles({ readJson }, createMemoryFileSystem()).rows('/f'))
}

test.each([
  new SluiceError('unreadable', 'it ended a reader'),
  new GatewayError('broken', 'the answer broke off'),
  new FileSystemError('denied', '/f', 'not for this user'),
])('what is wrong with one file is damage of it: %s', async error => {
  const thrown = await read(error).catch((caught: unknown) => caught)
  expect(thrown).toBeInstanceOf(DamagedFile)
  expect(thrown).toMatchObject({ message: error.message, cause: error })
})

test.each([
  new FileSystemError('unavailable', '/f', 'the cluster is away'),
  new SluiceError('unavailable', 'no reader starts'),
  new SluiceError('overloaded', 'all readers are busy'),
  new TypeError('a mistake'),
])('what would be wrong with each of them is thrown as it is: %s', async error => {
  await expect(read(error)).rejects.toBe(error)
})

test('a file that is gone has no rows', async () => {
  expect(await read(new FileSystemError('not-found', '/f', 'gone'))).toEqual([])
})

test('files are those that reads of a directory show', async () => {
  const fileSystem = createMemoryFileSystem()
  for (const name of ['b', '_a', '.c', 'a', 'd/e']) {
    const source = async function* () {
      yield Buffer.from('x')
    }
    await fileSystem.publish(`/h/${name}`, source())
  }
  const files = createRefusedFiles({ readJson: () => expect.fail() }, fileSystem)
  expect(await files.files('/h')).toEqual(['a', 'b'])
  expect(await files.directories('/h')).toEqual(['d'])
  expect(await files.files('/none')).toEqual([])
})
