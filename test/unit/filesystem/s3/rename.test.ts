/** A file of a store gets another name by a copy: nothing is replaced by it, and nothing of it is lost. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { expectCode } from '../../../suites/file-text.ts'
import { toErrorXml } from '../../../suites/s3/answer-s3.ts'
import { type FakeS3, type S3Fault, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'

const open = async (): Promise<{ readonly fs: FileSystem; readonly store: FakeS3 }> => {
  const store = await startFakeS3()
  const how = { endpoint: store.endpoint, region: 'r', env: testEnv, sleep: async () => {} }
  const fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  onTestFinished(async () => {
    await fs.close()
    await store.close()
  })
  return { fs, store }
}

describe('a file that gets another name', () => {
  const rename = async (fs: FileSystem): Promise<void> => await fs.directories?.rename('/a', '/b')
  const headers = {
    'content-type': 'text/csv',
    'content-encoding': 'gzip',
    'cache-control': 'no-store',
    'x-amz-meta-made-by': 'another',
  }

  test.for(['text', ''])('which holds "%s", keeps what other tools gave it', async text => {
    const { fs, store } = await open()
    const { etag } = store.stored.put('lake/a', text)
    const given: unknown[] = []
    store.fault = request => {
      const { method, key, query } = request
      if (key === 'lake/b' && (method === 'PUT' || query.has('uploads')) && !query.has('partNumber'))
        given.push(Object.fromEntries(Object.keys(headers).map(name => [name, request.headers[name]])))
      const head = { ...headers, etag, 'content-length': String(text.length) }
      return method === 'HEAD' && key === 'lake/a' ? { status: 200, headers: head } : undefined
    }
    await rename(fs)
    expect(given).toEqual([headers])
    expect([store.stored.keys(), store.stored.objects.get('lake/b')?.bytes.toString()]).toEqual([['lake/b'], text])
  })

  test.for(['text', ''])('which holds "%s", replaces nothing that came meanwhile', async text => {
    const { fs, store } = await open()
    await fs.checkPublish?.('/')
    store.stored.put('lake/a', text)
    store.fault = ({ method, key, query }) => {
      if (key === 'lake/b' && (query.has('uploadId') || method === 'PUT')) store.stored.put('lake/b', 'another')
      return undefined
    }
    await expectCode(rename(fs), 'exists')
    expect([store.stored.keys(), store.stored.uploads.size]).toEqual([['lake/a', 'lake/b'], 0])
    expect(store.stored.objects.get('lake/b')?.bytes.toString()).toBe('another')
  })

  test.for(['text', ''])('which holds "%s", has it although the answer was lost', async text => {
    const { fs, store } = await open()
    await fs.checkPublish?.('/')
    store.stored.put('lake/a', text)
    let lost = 0
    store.fault = ({ method, key, query }) => {
      const isLast = key === 'lake/b' && (text === '' ? method === 'PUT' : method === 'POST' && query.has('uploadId'))
      return isLast && lost++ === 0 ? 'after' : undefined
    }
    await rename(fs)
    expect([lost, store.stored.keys(), store.stored.uploads.size]).toEqual([2, ['lake/b'], 0])
  })

  test.for(['text', ''])('which holds "%s", stays where it is written anew meanwhile', async text => {
    for (const overwrite of [false, true]) {
      const { fs, store } = await open()
      store.stored.put('lake/a', text)
      store.fault = ({ method, key }) => {
        if (method === 'PUT' && key === 'lake/b') store.stored.put('lake/a', 'more')
        return undefined
      }
      await expectCode(fs.directories?.rename('/a', '/b', { overwrite }) ?? Promise.resolve(), 'unavailable')
      expect(store.stored.objects.get('lake/a')?.bytes.toString()).toBe('more')
      expect(store.stored.uploads.size).toBe(0)
    }
  })

  test('stays where the store copied other bytes, which get no name', async () => {
    const { fs, store } = await open()
    store.stored.put('lake/a', 'text')
    store.fault = ({ method, key, query }) => {
      const parts = store.stored.uploads.get(query.get('uploadId') ?? '')?.parts
      const part = parts?.get(1)
      if (method === 'POST' && key === 'lake/b' && part) parts?.set(1, { ...part, bytes: Buffer.from('tent') })
      return undefined
    }
    await expectCode(rename(fs), 'unavailable')
    expect([store.stored.keys(), store.stored.uploads.size]).toEqual([['lake/a'], 0])
  })

  test('says that it is not known whether it has it, where its upload is gone', async () => {
    const { fs, store } = await open()
    store.stored.put('lake/a', 'text')
    store.fault = ({ method, key, query }) => {
      if (method === 'POST' && key === 'lake/b') store.stored.uploads.delete(query.get('uploadId') ?? '')
      return undefined
    }
    await expectCode(rename(fs), 'unavailable')
    expect(store.stored.keys()).toEqual(['lake/a'])
  })
})

describe('the end of the source', () => {
  const refuse = (status: number, code: string): S3Fault => ({ status, text: toErrorXml(code, 'no') })
  /** Renames `a`, which holds "text". @param meet what happens to the DELETE of that number, from 1 on */
  const rename = async (meet: (at: number, store: FakeS3) => S3Fault): Promise<FakeS3> => {
    const { fs, store } = await open()
    await fs.checkPublish?.('/')
    store.stored.put('lake/a', 'text')
    let deletes = 0
    store.fault = ({ method, key }) => (method === 'DELETE' && key === 'lake/a' ? meet(++deletes, store) : undefined)
    await fs.directories?.rename('/a', '/b')
    return store
  }
  const textsOf = ({ stored }: FakeS3): readonly unknown[] =>
    stored.keys().map(key => [key, stored.objects.get(key)?.bytes.toString()])
  const sentOf = ({ requests }: FakeS3): number => requests.filter(request => request === 'DELETE lake/a').length
  const moved = ['lake/b', 'text']
  const writeAnew = ({ stored }: FakeS3): undefined => void stored.put('lake/a', 'more')

  test('leaves what is written anew after the copy, as if the rename had come first', async () => {
    const store = await rename((_, at) => writeAnew(at))
    expect([textsOf(store), sentOf(store)]).toEqual([[['lake/a', 'more'], moved], 1])
  })

  test.for<[string, number, (at: number, store: FakeS3) => S3Fault]>([
    ['its answer is lost', 2, at => (at === 1 ? 'after' : undefined)],
    ['another one has deleted it', 1, (_, { stored }) => void stored.objects.delete('lake/a')],
    ['it met other writes', 3, at => (at < 3 ? refuse(409, 'ConditionalRequestConflict') : undefined)],
    ['the store lacks the condition', 2, at => (at === 1 ? refuse(501, 'NotImplemented') : undefined)],
    ['the store refuses the condition', 2, at => (at === 1 ? refuse(400, 'InvalidArgument') : undefined)],
  ])('comes although %s', async ([, sent, meet]) => {
    const store = await rename(meet)
    expect([textsOf(store), sentOf(store)]).toEqual([[moved], sent])
  })

  test('leaves what is written anew where the store lacks the condition', async () => {
    const store = await rename((_, at) => writeAnew(at) ?? refuse(501, 'NotImplemented'))
    expect([textsOf(store), sentOf(store)]).toEqual([[['lake/a', 'more'], moved], 1])
  })

  test.for([
    [409, 'ConditionalRequestConflict', 'unavailable'],
    [403, 'AccessDenied', 'denied'],
  ] as const)('that is refused by %d is an error, and both are there', async ([status, code, want]) => {
    let store: FakeS3 | undefined
    const renaming = rename((_, at) => {
      store = at
      return refuse(status, code)
    })
    await expectCode(renaming, want)
    expect(store && textsOf(store)).toEqual([['lake/a', 'text'], moved])
  })
})
