import { expect, test } from 'vitest'
import { connectTimeout, RemoteException } from '../../../src/filesystem/cluster/remote-exception.ts'
import { createEitherWay } from '../../../src/filesystem/either-way.ts'
import { appendsOf } from '../../../src/filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { NoDataNode } from '../../../src/filesystem/hdfs/files/no-data-node.ts'
import { SaslError } from '../../../src/filesystem/hdfs/tokens/digest-md5.ts'
import { openFile } from '../../../src/filesystem/open-file.ts'
import { chunksOf, expectCode, readText } from '../../suites/file-text.ts'
import { flat } from '../../suites/flat-filesystem.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'

const away = (cause: unknown): FileSystemError => new FileSystemError('unavailable', '/', 'away', { cause })
const closed = away(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
const dropped = away(Object.assign(new Error('dropped'), { code: connectTimeout }))
const noDataNode = away(new NoDataNode(closed.cause))
const remote = (exception: string, message = 'no'): FileSystemError =>
  away(new RemoteException(exception, 403, message))

/** Two clusters that differ by what a file says, so that it shows which one was asked. */
const open = async (
  changes: Partial<Record<'native' | 'webHdfs', Partial<FileSystem>>> = {},
  options: { readonly patienceMs?: number; readonly transfers?: () => number } = {},
) => {
  const lines: string[] = []
  const say = (_: unknown, message: string): void => void lines.push(message.replace(/^.*spoken to by /, ''))
  const make = async (name: 'native' | 'webHdfs'): Promise<FileSystem> => {
    const made = createMemoryFileSystem()
    await made.publish('/f', chunksOf(name))
    return { ...made, ...changes[name] }
  }
  let ms = 0
  // Data nodes take part whenever it is looked at.
  let looks = 0
  const transfers = (): number => looks++
  const parts = { native: await make('native'), webHdfs: await make('webHdfs') }
  const either = createEitherWay({ ...parts, transfers, ...options, log: { info: say, warn: say }, now: () => ms })
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

const textOf = async (text: string): Promise<ReadableStream<Uint8Array>> => {
  const { body } = new Response(text)
  if (body === null) throw new Error('no body')
  return body
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
  ['a token of another issuer', remote('InvalidToken')],
  ['who may not call at all', remote('AuthorizationException')],
  ['a standby alone', remote('StandbyException')],
] as const)('%s: WebHDFS, and one line in the log', async ([, error]) => {
  const { read, length, lines } = await open({ native: failing(error) })
  expect([await read(), await length(), lines]).toEqual(['webHdfs', 7, ['WebHDFS']])
})

test.for([
  ['InvalidToken', 'WebHDFS'],
  ['AuthorizationException', 'WebHDFS'],
  ['StandbyException', 'WebHDFS'],
  ['FileNotFoundException', 'its own protocol'],
] as const)('%s of a call, once name nodes refuse all like that: %s', async ([exception, way]) => {
  let refused: FileSystemError | undefined
  const refuse = async (): Promise<void> => {
    if (refused !== undefined) throw refused
  }
  const native = { probe: refuse, getFileStatus: () => Promise.reject(remote(exception)) }
  const { either, lines, read } = await open({ native })
  await read()
  refused = remote(exception)
  await expect(either.getFileStatus('/f')).rejects.toThrow('away')
  await expect.poll(() => lines.at(-1)).toBe(way)
})

test('a user for whom the name nodes take no calls: WebHDFS for him, and nothing changes for others', async () => {
  let asked = 0
  const probe = async (): Promise<void> => {
    asked++
    throw remote('AuthorizationException')
  }
  const [native, webHdfs] = [createMemoryFileSystem(), createMemoryFileSystem()]
  await webHdfs.publish('/f', chunksOf('bob'))
  const { either, read, lines } = await open({
    native: { as: () => ({ ...native, probe }) },
    webHdfs: { as: () => webHdfs },
  })
  const bob = either.as?.('bob')
  if (bob === undefined) throw new Error('no views')
  expect([(await bob.getFileStatus('/f')).length, await readText(flat(bob), '/f'), asked]).toEqual([3, 'bob', 1])
  expect([await read(), lines]).toEqual(['native', ['its own protocol']])
})

test('a name node that left its own protocol is asked again after a minute, and after longer each time', async () => {
  let isAway = true
  let asked = 0
  const probe = async (): Promise<void> => {
    asked++
    if (isAway) throw closed
  }
  const { read, later, lines, either } = await open({ native: { probe } })
  /** The one that finds it due goes by WebHDFS, and those after it by what was found. */
  const readTwice = async (): Promise<string[]> => [await read(), await read()]
  expect(await readTwice()).toEqual(['webHdfs', 'webHdfs'])
  for (const [wait, count] of [
    [59_999, 1],
    [1, 2],
    [119_999, 2],
    [1, 3],
    [239_999, 3],
  ] as const) {
    later(wait)
    expect([...(await readTwice()), asked]).toEqual(['webHdfs', 'webHdfs', count])
  }
  expect(either.spokenBy?.()).toBe('WebHDFS: away')
  isAway = false
  later(1)
  expect(await readTwice()).toEqual(['webHdfs', 'native'])
  expect([lines, either.spokenBy?.()]).toEqual([['WebHDFS', 'its own protocol'], 'its own protocol'])
})

test('a file that is to stay open, for which there is one way, has it asked again after seconds', async () => {
  let isAway = true
  const probe = async (): Promise<void> => {
    if (isAway) throw closed
  }
  const visibleLength = async (): Promise<number> => 7
  const appends = { ...appendsOf(createMemoryFileSystem()), visibleLength }
  const { either, later, length } = await open({ native: { probe, appends } })
  const ask = (): Promise<number> => appendsOf(either).visibleLength('/log')
  expect(await length()).toBe('webHdfs'.length)
  await expectCode(ask(), 'unsupported')
  isAway = false
  later(4_999)
  await expectCode(ask(), 'unsupported')
  later(1)
  expect([await ask(), await length()]).toEqual([7, 'native'.length])
})

test('a name node that does not answer in a while is not waited for', async () => {
  const { read, lines } = await open({ native: { probe: () => new Promise(() => {}) } }, { patienceMs: 1 })
  expect([await read(), lines]).toEqual(['webHdfs', ['WebHDFS']])
})

test('a port that is closed later: the calls that follow go by WebHDFS', async () => {
  let isAway = false
  const fail = async (): Promise<never> => {
    throw closed
  }
  const probe = async (): Promise<void> => {
    if (isAway) throw closed
  }
  const { either, length, lines } = await open({ native: { probe, getFileStatus: fail } })
  await expectCode(either.getFileStatus('/f'), 'unavailable')
  isAway = true
  await expectCode(either.getFileStatus('/f'), 'unavailable')
  await expect.poll(length).toBe(7)
  expect(lines).toEqual(['its own protocol', 'WebHDFS'])
})

test('a listing tells as well that the port is closed', async () => {
  let isAway = false
  const probe = async (): Promise<void> => {
    if (isAway) throw closed
  }
  const listStatus: FileSystem['listStatus'] = () => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(closed) }),
  })
  const { either, length, lines } = await open({ native: { probe, listStatus } })
  await length()
  isAway = true
  await expectCode(Array.fromAsync(either.listStatus('/')), 'unavailable')
  await expect.poll(length).toBe(7)
  expect(lines).toEqual(['its own protocol', 'WebHDFS'])
})

test('opening a file tells as well that the port is closed', async () => {
  let isAway = false
  const probe = async (): Promise<void> => {
    if (isAway) throw closed
  }
  const { either, read, lines } = await open({ native: { probe, getFileStatus: () => Promise.reject(closed) } })
  await read()
  isAway = true
  await expectCode(openFile(either, '/f'), 'unavailable')
  await expect.poll(() => lines).toEqual(['its own protocol', 'WebHDFS'])
})

test('where neither answers nothing is decided, nor said', async () => {
  let isAway = true
  const probe = async (): Promise<void> => {
    if (isAway) throw closed
  }
  const { either, read, lines } = await open({ native: { probe }, webHdfs: { probe } })
  await read()
  expect([lines, either.spokenBy?.()]).toEqual([[], ''])
  isAway = false
  expect([await read(), lines]).toEqual(['native', ['its own protocol']])
  isAway = true
  expect([await read(), lines.length]).toEqual(['native', 1])
})

test('data nodes whose ports are closed: this read and the next ones go by WebHDFS, names do not', async () => {
  let error: unknown = noDataNode
  const { either, read, length, later, lines } = await open({
    native: { open: () => (error === undefined ? textOf('native') : Promise.reject(error)) },
  })
  expect([await read(), await length(), lines.length]).toEqual(['webHdfs', 6, 2])
  expect(either.spokenBy?.()).toBe('its own protocol for names, and by WebHDFS for bytes: away')
  const opened = await openFile(either, '/f')
  expect([opened.status.length, await new Response(await opened.read()).text()]).toEqual([7, 'webHdfs'])
  later(60_000)
  const again = await openFile(either, '/f')
  expect([again.status.length, await new Response(await again.read()).text()]).toEqual([6, 'webHdfs'])
  error = undefined
  later(119_999)
  expect(await read()).toBe('webHdfs')
  later(1)
  expect([await read(), await read(), lines.slice(2)]).toEqual(['native', 'native', ['its own protocol']])
})

test('what was left is tried by one file, and others do not wait for it', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  let isTrial = false
  const { read, later } = await open({
    native: { open: () => (isTrial ? promise : Promise.reject(noDataNode)) },
  })
  expect(await read()).toBe('webHdfs')
  isTrial = true
  later(60_000)
  const trial = read()
  expect([await read(), await read()]).toEqual(['webHdfs', 'webHdfs'])
  reject(noDataNode)
  expect(await trial).toBe('webHdfs')
})

test('a protection of data nodes that is not spoken needs no other proof', async () => {
  const refuse = () => Promise.reject(away(new NoDataNode(new SaslError('privacy'))))
  const { read, lines } = await open({ native: { open: refuse }, webHdfs: { open: () => Promise.reject(closed) } })
  await expectCode(read(), 'unavailable')
  expect(lines.at(-1)).toBe('its own protocol for names, and by WebHDFS for bytes')
})

test('one file that no way reads changes nothing for others: its data node is down', async () => {
  const down: FileSystem['open'] = path => (path === '/down' ? Promise.reject(noDataNode) : textOf('native'))
  const { either, read, lines } = await open({
    native: { open: down },
    webHdfs: { open: () => Promise.reject(closed) },
  })
  await expectCode(either.open('/down'), 'unavailable')
  expect([await read(), lines]).toEqual(['native', ['its own protocol']])
})

test('a write fails, because a part of its source is gone, and the next one goes by WebHDFS and shows what it was', async () => {
  for (const [isDown, told] of [
    [false, 'its own protocol for names, and by WebHDFS for bytes'],
    [true, 'its own protocol'],
  ] as const) {
    const webHdfs = isDown ? { publish: () => Promise.reject(closed) } : {}
    const { either, lines } = await open({ native: { publish: () => Promise.reject(noDataNode) }, webHdfs })
    await expectCode(either.publish('/g', chunksOf('x')), 'unavailable')
    if (isDown) await expectCode(either.publish('/g', chunksOf('x')), 'unavailable')
    else expect((await either.publish('/g', chunksOf('x'))).outcome).toBe('done')
    expect(lines.at(-1)).toBe(told)
  }
})

test('what is refused is refused', async () => {
  const denied = new FileSystemError('denied', '/f', 'no', {
    cause: new RemoteException('AccessControlException', 403, 'no'),
  })
  const { read, lines } = await open({ native: { open: () => Promise.reject(denied) } })
  await expectCode(read(), 'denied')
  expect(lines).toEqual(['its own protocol'])
})

test('a name node that is away while bytes are asked for says nothing of data nodes', async () => {
  const { read, lines } = await open({ native: { open: () => Promise.reject(closed) } })
  await expectCode(read(), 'unavailable')
  await expectCode(read(), 'unavailable')
  expect(lines).toEqual(['its own protocol'])
})

test('what WebHDFS refuses does not clear data nodes of a suspicion', async () => {
  const { either, lines } = await open({ native: { publish: () => Promise.reject(noDataNode) } })
  await expectCode(either.publish('/g', chunksOf('x')), 'unavailable')
  await expectCode(either.open('/none'), 'not-found')
  expect((await either.publish('/g', chunksOf('x'))).outcome).toBe('done')
  expect(lines.at(-1)).toBe('its own protocol for names, and by WebHDFS for bytes')
})

test('a file that needs no data node says nothing of them', async () => {
  let error: unknown = noDataNode
  const { read, later, lines } = await open(
    { native: { open: () => (error === undefined ? textOf('') : Promise.reject(error)) } },
    { transfers: () => 0 },
  )
  expect(await read()).toBe('webHdfs')
  error = undefined
  later(60_000)
  expect([await read(), await read(), lines.length]).toEqual(['', 'webHdfs', 2])
})

test('files that fail together put off the next attempt once', async () => {
  let asked = 0
  const refuse = (): Promise<never> => {
    asked++
    return Promise.reject(away(new NoDataNode(new SaslError('privacy'))))
  }
  const { read, later } = await open({ native: { open: refuse } })
  await Promise.all([read(), read(), read()])
  expect(asked).toBe(3)
  later(59_999)
  await read()
  expect(asked).toBe(3)
  later(1)
  await read()
  expect(asked).toBe(4)
})

test('where WebHDFS fails as well, what was left is asked again, and not at every failure', async () => {
  let error: FileSystemError | undefined = closed
  let asked = 0
  const native = {
    probe: async (): Promise<void> => {
      asked++
      if (error !== undefined) throw error
    },
  }
  const { either, length, later, lines } = await open({
    native,
    webHdfs: { getFileStatus: () => Promise.reject(closed) },
  })
  await expectCode(either.getFileStatus('/f'), 'unavailable')
  await expectCode(either.getFileStatus('/f'), 'unavailable')
  expect(asked).toBe(1)
  later(5_000)
  await expectCode(either.getFileStatus('/f'), 'unavailable')
  await expect.poll(() => asked).toBe(2)
  error = undefined
  later(5_000)
  await expect.poll(() => length().catch(() => 0)).toBe(6)
  expect(lines).toEqual(['WebHDFS', 'its own protocol'])
})

test('a file that was begun before the others and fails later puts nothing off', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  const refused = away(new NoDataNode(new SaslError('privacy')))
  const asked: string[] = []
  const { either, read, later } = await open({
    native: {
      open: path => {
        asked.push(path)
        return path === '/slow' ? promise : Promise.reject(refused)
      },
    },
  })
  const slow = either.open('/slow')
  await read()
  later(30_000)
  reject(refused)
  await expectCode(slow, 'not-found')
  later(30_000)
  await read()
  expect(asked).toEqual(['/slow', '/f', '/f'])
})
