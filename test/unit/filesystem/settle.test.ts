import { expect, test } from 'vitest'
import { FileSystemError, type FileSystemErrorCode } from '../../../src/filesystem/filesystem.ts'
import { settle } from '../../../src/filesystem/publish/move.ts'

const attempt = { temporary: '/tmp/t', path: '/d/f', length: 5 }

/** Settles an attempt whose temporary file answers a look so, and whose target is not there. */
const settleWith = (code: FileSystemErrorCode) =>
  settle(
    {
      getFileStatus: async path => {
        throw new FileSystemError(path === attempt.temporary ? code : 'not-found', path, 'told so')
      },
      open: async path => {
        throw new FileSystemError('not-found', path, 'nothing to read')
      },
      rename: async path => {
        throw new FileSystemError('not-found', path, 'nothing to rename')
      },
    },
    attempt,
  )

test('a temporary file that is not there was renamed, perhaps: a person decides', async () => {
  expect(await settleWith('not-found')).toEqual({ outcome: 'taken' })
})

test.each(['not-directory', 'denied', 'is-directory', 'unavailable'] as const)(
  'a look at the temporary file that ends with %s says nothing of the RENAME: it is tried again',
  async code => {
    await expect(settleWith(code)).rejects.toMatchObject({ code: 'unavailable', cause: { code } })
  },
)
