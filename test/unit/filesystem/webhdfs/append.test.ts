import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWebHdfsFileSystem } from '../../../../src/filesystem/webhdfs.ts'
import { chunksOf, expectCode } from '../../../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../../../suites/flat-filesystem.ts'
import { type FakeFault, type FakeHdfs, type FakeRequest, sendJson, sendRemote, startFakeHdfs } from '../fake-hdfs.ts'

let fake: FakeHdfs
let fs: FileSystem
beforeEach(async () => {
  fake = await startFakeHdfs()
  fake.directories.add('/d')
  fake.files.set('/d/file', Buffer.from('old'))
  fs = flat(createWebHdfsFileSystem({ urls: [fake.url], random: () => 0, maxRetries: 1 }))
})
afterEach(async () => {
  await fs.close()
  await fake.close()
})

/** Applies a fault at a step, a given number of times. */
const at = (step: string, fault: FakeFault, times = 1): void => {
  let left = times
  fake.fault = call => call.step === step && left-- > 0 && fault(call)
}

const append = (path = '/d/file'): Promise<void> => fs.append(path, chunksOf('', 'new', 'er'))
const text = (): string => String(fake.files.get('/d/file'))
const calls = (step: string): readonly FakeRequest[] => fake.requests.filter(call => call.step === step)
const pathOf = (call: FakeRequest | undefined): string =>
  decodeURIComponent(new URL(call?.request.url ?? '', fake.url).pathname.replace(/^(\/data)?\/webhdfs\/v1/, ''))

/** Answers nothing, having done it or not. */
const lose =
  (isDone: boolean): FakeFault =>
  ({ request, query }) => {
    const source = query.get('sources') ?? ''
    if (isDone) {
      fake.files.set('/d/file', Buffer.from(`${text()}${String(fake.files.get(source))}`))
      fake.files.delete(source)
    }
    request.socket.destroy()
    return true
  }

describe('webhdfs: append', () => {
  test('is one step of the name node: a file beside the target is written, and put behind it', async () => {
    await append()
    expect(text()).toBe('oldnewer')
    expect([...fake.files.keys()]).toEqual(['/d/file'])
    expect(fake.steps).toEqual([
      'name GETFILESTATUS',
      'name CREATE',
      'data CREATE',
      'name GETFILESTATUS',
      'name SETPERMISSION',
      'name CONCAT',
    ])
    const [create] = calls('name CREATE')
    expect(pathOf(create)).toMatch(/^\/d\/\.sluice-[0-9a-f]{24}\.tmp$/)
    expect(Object.fromEntries(create?.query ?? [])).toMatchObject({
      permission: '600',
      replication: '1',
      blocksize: '1024',
    })
    const [concat] = calls('name CONCAT')
    expect(concat?.request.method).toBe('POST')
    expect(concat?.query.get('sources')).toBe(pathOf(create))
  })

  test('nothing to add is nothing to send', async () => {
    await fs.append('/d/file', chunksOf('', ''))
    expect(fake.steps).toEqual(['name GETFILESTATUS'])
  })

  test('a comma would end the name of a source, so that nothing is sent', async () => {
    for (const path of ['/d/a,b/c/file', '/,/file']) {
      fake.files.set(path, Buffer.from('x'))
      let isReleased = false
      const source = async function* () {
        try {
          yield Buffer.from('new')
        } finally {
          isReleased = true
        }
      }
      await expectCode(fs.append(path, source()), 'unsupported')
      expect(isReleased).toBe(true)
      await fs.append(path, chunksOf())
    }
    expect(new Set(fake.steps)).toEqual(new Set(['name GETFILESTATUS']))
    fake.files.set('/d/file,', Buffer.from('x'))
    await append('/d/file,')
    expect(String(fake.files.get('/d/file,'))).toBe('xnewer')
  })

  test.for([
    ['HadoopIllegalArgumentException', 400, 'concat can not be called for files in an encryption zone.', 'unsupported'],
    ['UnsupportedOperationException', 400, 'Not implemented by this FileSystem', 'unsupported'],
    ['IllegalArgumentException', 400, 'Invalid value for webhdfs parameter "op": CONCAT', 'unsupported'],
    ['FileNotFoundException', 404, 'File does not exist: /d/file', 'not-found'],
    ['AccessControlException', 403, 'Permission denied: user=bob', 'denied'],
    ['DSQuotaExceededException', 403, 'The DiskSpace quota is exceeded', 'quota-exceeded'],
  ] as const)(
    '%s is the end of it: the error tells why, and nothing stays',
    async ([exception, status, message, code]) => {
      at('name CONCAT', ({ response }) => sendRemote(response, status, exception, message))
      await expect(append()).rejects.toMatchObject({
        code,
        path: '/d/file',
        message: `Cannot append to "/d/file": ${message}`,
        cause: { exception },
      })
      expect([...fake.files]).toEqual([['/d/file', Buffer.from('old')]])
      expect(calls('name CONCAT')).toHaveLength(1)
    },
  )

  test.for(['StandbyException', 'SafeModeException'])('%s: it is asked again', async exception => {
    at('name CONCAT', ({ response }) => sendRemote(response, 403, exception))
    await append()
    expect(text()).toBe('oldnewer')
    expect(calls('name CONCAT')).toHaveLength(2)
  })

  test('a lost reply: what is gone was appended, and is not appended twice', async () => {
    at('name CONCAT', lose(true))
    await append()
    expect(text()).toBe('oldnewer')
    expect(calls('name CONCAT')).toHaveLength(1)
  })

  test('a lost reply: what can still be deleted was not appended, and never is', async () => {
    at('name CONCAT', lose(false))
    await expectCode(append(), 'unavailable')
    expect([...fake.files]).toEqual([['/d/file', Buffer.from('old')]])
    expect(calls('name CONCAT')).toHaveLength(1)
  })

  test('a lost reply: others may have appended meanwhile', async () => {
    at('name CONCAT', call => {
      fake.files.set('/d/file', Buffer.from('old and more'))
      return lose(true)(call)
    })
    await append()
    expect(text()).toBe('old and morenewer')
  })

  test('a lost reply: that others have appended does not mean that it was done', async () => {
    at('name CONCAT', call => {
      fake.files.set('/d/file', Buffer.from('old and very much more'))
      return lose(false)(call)
    })
    await expectCode(append(), 'unavailable')
    expect([...fake.files]).toEqual([['/d/file', Buffer.from('old and very much more')]])
  })

  test('a lost reply, and the file is another one now: unknown', async () => {
    at('name CONCAT', call => {
      lose(true)(call)
      fake.files.set('/d/file', Buffer.from('x'))
      return true
    })
    await expectCode(append(), 'unavailable')
  })

  test('a lost reply, and then no answer at all: unknown', async () => {
    fake.fault = call => ['name CONCAT', 'name DELETE'].includes(call.step) && lose(false)(call)
    await expect(append()).rejects.toMatchObject({ code: 'unavailable', path: '/d/file' })
    expect(text()).toBe('old')
  })

  test('an upload that fails is about the target, and nothing stays', async () => {
    at('data CREATE', ({ response }) => sendRemote(response, 403, 'DSQuotaExceededException', 'The quota is exceeded'))
    await expect(append()).rejects.toMatchObject({
      code: 'quota-exceeded',
      path: '/d/file',
      message: 'Cannot append to "/d/file": The quota is exceeded',
      cause: { exception: 'DSQuotaExceededException' },
    })
    expect(calls('name CONCAT')).toEqual([])
    expect(calls('name DELETE').map(pathOf)).toContain(pathOf(calls('name CREATE')[0]))
  })

  test('fewer bytes than were sent are not appended', async () => {
    at('name GETFILESTATUS', () => false)
    fake.fault = ({ step, request, response }) =>
      step === 'name GETFILESTATUS' &&
      (request.url ?? '').includes('.sluice-') &&
      sendJson(response, 200, {
        FileStatus: {
          pathSuffix: '',
          type: 'FILE',
          length: 1,
          modificationTime: 1,
          accessTime: 1,
          owner: 'o',
          group: 'g',
          permission: '600',
          replication: 1,
          blockSize: 1024,
        },
      })
    await expectCode(append(), 'unavailable')
    expect(calls('name CONCAT')).toEqual([])
    expect([...fake.files]).toEqual([['/d/file', Buffer.from('old')]])
  })

  test('an abort before the last step takes it back; after it, it is too late', async () => {
    const controller = new AbortController()
    at('name SETPERMISSION', ({ response }) => {
      controller.abort()
      response.writeHead(200).end()
      return true
    })
    await expectCode(fs.append('/d/file', chunksOf('new'), { signal: controller.signal }), 'unavailable')
    expect([...fake.files]).toEqual([['/d/file', Buffer.from('old')]])
    const late = new AbortController()
    at('name CONCAT', () => {
      late.abort()
      return false
    })
    await fs.append('/d/file', chunksOf('new'), { signal: late.signal })
    expect(text()).toBe('oldnew')
  })
})
