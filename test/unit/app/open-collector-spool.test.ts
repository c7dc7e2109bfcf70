import { expect, onTestFinished, test, vi } from 'vitest'
import { refuseUnsafeOutput } from '../../../src/app/open-collector-spool.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { silent } from '../../suites/spool.ts'

/** What a start says while the cluster answers a check like this. */
const start = async (checkPublish?: (directory: string) => Promise<void>, byCatalog = false): Promise<unknown[]> => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const warnings: unknown[] = []
  const log = { ...silent, warn: (fields: object) => void warnings.push(fields) }
  await refuseUnsafeOutput(checkPublish ? { checkPublish } : {}, { directory: '/events', byCatalog }, log)
  return warnings
}

const answers = (error: Error) => () => Promise.reject(error)

test('a start is refused where files do not land once, or where the check itself fails', async () => {
  const unsupported = new FileSystemError('unsupported', '/events', 'it replaces files')
  await expect(start(answers(unsupported))).rejects.toBe(unsupported)
  const broken = new TypeError('x')
  for (const byCatalog of [false, true]) await expect(start(answers(broken), byCatalog)).rejects.toBe(broken)
})

test('tables in a catalog do where files do not land once, which is said', async () => {
  const unsupported = new FileSystemError('unsupported', '/events', 'it replaces files')
  expect(await start(answers(unsupported), true)).toEqual([{ directory: '/events' }])
})

test('a cluster that is away, or needs no check, does not hold up a start', async () => {
  const away = new FileSystemError('unavailable', '/events', 'away')
  expect(await start(answers(away))).toEqual([{ err: away }])
  expect(await start(async () => {})).toEqual([])
  expect(await start()).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('a cluster that does not answer holds up a start for five seconds, and may refuse later', async () => {
  const { promise, reject } = Promise.withResolvers<void>()
  let isStarted = false
  const starting = start(() => promise).then(() => {
    isStarted = true
  })
  await vi.advanceTimersByTimeAsync(4_999)
  expect(isStarted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await starting
  reject(new FileSystemError('unsupported', '/events', 'it replaces files'))
})
