import { expect, test } from 'vitest'
import { connectTimeout, RemoteException } from '../../../src/filesystem/cluster/remote-exception.ts'
import { createEitherWay } from '../../../src/filesystem/either-way.ts'
import { type FileSystem, FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { SaslError } from '../../../src/filesystem/hdfs/tokens/digest-md5.ts'
import { openFile } from '../../../src/filesystem/open-file.ts'
import { chunksOf, expectCode, readText } from '../../suites/file-text.ts'
import { flat } from '../../suites/flat-filesystem.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

const away = (cause: unknown): FileSystemError => new FileSystemError('unavailable', '/', 'away', { cause })
const closed = away(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
const dropped = away(Object.assign(new Error('dropped'), { code: connectTimeout }))
const remote = (exception: string, message = 'no'): FileSystemError =>
  away(new RemoteException(exception, 403, message))

/** Two clusters that differ by what a file says, so that it shows which one was asked. */
const open = async (changes: Partial<Record<'native' | 'webHdfs', Partial<FileSystem>>> = {}) => {
  const lines: string[] = []
  const say = (_: unknown, message: string): void => void lines.push(message.replace(/^.*spoken to by /, ''))
  const make = async (name: 'native' | 'webHdfs'): Promise<FileSystem> => {
    const made = createMemoryFileSystem()
    await made.publish('/f', chunksOf(name))
    return { ...made, ...changes[name] }
  }
  let ms = 0
  const parts = { native: await make('native'), webHdfs: await make('webHdfs') }
  const either = createEitherWay({ ...parts, log: { info: say, warn: say }, now: () => ms })
  return {
    either,
    lines,
    read: () => readText(flat(either), '/f'),
    length: async () => (await either.getFileStatus('/f')).length,
    later: (by: number) => {
      ms += by
    },
  }
}

const failing = (error: unknown) => ({ probe: () => Promise.reject(error) })

test('the native protocol, where the name node answers it', async () => {
  const { read, length, lines } = await open()
  expect([await read(), await length(), lines]).toEqual(['native', 6, ['its own protocol']])
})

test.for([
  ['a closed port', closed],
  ['a port behind a wall', dropped],
  ['a protection that is not spoken', away(new SaslError('privacy'))],
  ['no simple authentication', remote('AccessControlException', 'SIMPLE authentication is not enabled.')],
] as const)('%s: WebHDFS, and one line in the log', async ([, error]) => {
  const { read, length, lines } = await open({ native: failing(error) })
  expect([await read(), await length(), lines]).toEqual(['webHdfs', 7, ['WebHDFS']])
})

test.for(['StandbyException', 'SafeModeException', 'AccessControlException'])('%s is an answer', async exception => {
  const { read, lines } = await open({ native: failing(remote(exception)) })
  expect([await read(), lines]).toEqual(['native', ['its own protocol']])
})

test('after a minute the name node is asked again', async () => {
  let isAway = true
  const probe = async (): Promise<void> => {
    if (isAway) throw closed
  }
  const { read, later, lines } = await open({ native: { probe } })
  expect(await read()).toBe('webHdfs')
  isAway = false
  later(59_000)
  expect(await read()).toBe('webHdfs')
  later(1_000)
  expect([await read(), lines]).toEqual(['native', ['WebHDFS', 'its own protocol']])
})

test('where neither answers nothing is decided, nor said', async () => {
  let isAway = true
  const probe = async (): Promise<void> => {
    if (isAway) throw closed
  }
  const { read, lines } = await open({ native: { probe }, webHdfs: { probe } })
  await read()
  expect(lines).toEqual([])
  isAway = false
  expect([await read(), lines]).toEqual(['native', ['its own protocol']])
})

test('data nodes that cannot be reached: this read and the next ones go by WebHDFS, names do not', async () => {
  const { either, read, length, later, lines } = await open({ native: { open: () => Promise.reject(closed) } })
  expect([await read(), await length(), lines.length]).toEqual(['webHdfs', 6, 2])
  const opened = await openFile(either, '/f')
  expect([opened.status.length, await new Response(await opened.read()).text()]).toEqual([7, 'webHdfs'])
  later(60_000)
  const again = await openFile(either, '/f')
  expect([again.status.length, await new Response(await again.read()).text()]).toEqual([6, 'webHdfs'])
})

test('a write fails, because a part of its source is gone, and the next one goes by WebHDFS', async () => {
  const { either, lines } = await open({ native: { publish: () => Promise.reject(dropped) } })
  await expectCode(either.publish('/g', chunksOf('x')), 'unavailable')
  expect((await either.publish('/g', chunksOf('x'))).outcome).toBe('done')
  expect(lines.at(-1)).toBe('its own protocol for names, and by WebHDFS for bytes')
})

test('what is refused is refused', async () => {
  const denied = new FileSystemError('denied', '/f', 'no', {
    cause: new RemoteException('AccessControlException', 403, 'no'),
  })
  const { read, lines } = await open({ native: { open: () => Promise.reject(denied) } })
  await expectCode(read(), 'denied')
  expect(lines).toEqual(['its own protocol'])
})
