import { describe, expect, test } from 'vitest'
import { type ErrorCode, errorTable, SluiceError } from '../../../../src/errors.ts'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { toRemoteError } from '../../../../src/filesystem/webhdfs/errors.ts'
import { toRemoteException } from '../../../../src/gateway/webhdfs/remote-exception.ts'
import { parseError, printError } from '../../../../src/readers/wire.ts'

const read = async (error: unknown, method = 'GET') => {
  const response = toRemoteException(error, method)
  const { RemoteException } = (await response.json()) as {
    RemoteException: { exception: string; javaClassName: string; message: string }
  }
  return { status: response.status, headers: response.headers, ...RemoteException }
}

/** An answer of a name node, as the file system makes an error of it. */
const remote = (status: number, exception: string, message: string, path = '/x') =>
  toRemoteError(
    status,
    JSON.stringify({ RemoteException: { exception, javaClassName: `some.place.${exception}`, message } }),
    'look at',
    path,
  )

test.each(Object.keys(errorTable) as ErrorCode[])(
  '%s is an exception with a status of errors and its message',
  async code => {
    const { status, exception, javaClassName, message } = await read(new SluiceError(code, 'what is wrong'))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(javaClassName).toMatch(/^(java|org\.apache\.hadoop)\.[\w.]+$/)
    expect(javaClassName.endsWith(`.${exception}`)).toBe(true)
    expect(message).toBe('what is wrong')
  },
)

test.each([
  ['not-found', 'File does not exist: /d/f'],
  ['exists', '/d/f already exists'],
  ['not-directory', '/d/f (is not a directory)'],
  ['not-empty', '/d/f is non empty'],
  ['denied', 'Cannot'],
] as const)('%s of a file system is said in the words of Hadoop, in whatever process', async (code, want) => {
  const error = new FileSystemError(code, '/d/f', 'Cannot')
  expect((await read(error)).message).toBe(want)
  expect((await read(parseError(printError(error)))).message).toBe(want)
})

test('an unexpected error reveals nothing', async () => {
  const { status, exception, message } = await read(new Error('secret'))
  expect([status, exception, message]).toEqual([500, 'RuntimeException', 'Internal error'])
})

test('a temporary error says when to come back, and a token is requested as usual', async () => {
  const { status, exception, headers } = await read(new FileSystemError('unavailable', '/x', 'no answer'))
  expect([status, exception, headers.get('retry-after')]).toEqual([503, 'RetriableException', '1'])
  const challenged = new SluiceError('unauthenticated', 'no', { headers: { 'www-authenticate': 'Bearer' } })
  expect((await read(challenged)).headers.get('www-authenticate')).toBe('Bearer')
})

test('a directory that is read is a file that is not there; one that is written is in the way', async () => {
  const error = new SluiceError('is-directory', 'no')
  expect(await read(error)).toMatchObject({ status: 404, exception: 'FileNotFoundException' })
  expect(await read(error, 'PUT')).toMatchObject({ status: 403, exception: 'FileAlreadyExistsException' })
})

describe('what a cluster refuses', () => {
  test('is reported in its own words', async () => {
    const message = 'Permission denied: user=ann, access=WRITE'
    expect(await read(remote(403, 'AccessControlException', message))).toMatchObject({
      status: 403,
      javaClassName: 'some.place.AccessControlException',
      message,
    })
    // Nothing here has a word of its own for it.
    expect(await read(remote(403, 'SnapshotException', 'no'))).toMatchObject({
      status: 403,
      javaClassName: 'some.place.SnapshotException',
    })
  })

  test('also where it leaves out the package of its class', async () => {
    const answer = JSON.stringify({ RemoteException: { exception: 'SnapshotException', message: 'no' } })
    expect(await read(toRemoteError(403, answer, 'look at', '/x'))).toMatchObject({
      status: 403,
      exception: 'SnapshotException',
      javaClassName: 'SnapshotException',
      message: 'no',
    })
  })

  test('of a mounted one with the path that the caller knows', async () => {
    const inner = remote(404, 'FileNotFoundException', 'File /x not found.')
    const outer = new FileSystemError(inner.code, '/mnt/x', 'elsewhere', { cause: inner })
    expect(await read(outer)).toMatchObject({ status: 404, message: 'File /mnt/x not found.' })
  })

  test.each([
    ['is only for now', remote(403, 'StandbyException', 'I am standby')],
    ['is a failure', remote(500, 'RuntimeException', 'null')],
    ['is no Hadoop', toRemoteError(502, '<html>a proxy</html>', 'look at', '/x')],
  ])('but not what %s', async (_, error) => {
    expect(await read(error)).toMatchObject({ status: 503, exception: 'RetriableException' })
  })
})
