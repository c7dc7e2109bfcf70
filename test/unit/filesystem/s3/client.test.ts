import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { isEntryName } from '../../../../src/filesystem/path.ts'
import { createS3Client } from '../../../../src/filesystem/s3/client.ts'
import { copyObject } from '../../../../src/filesystem/s3/copy-object.ts'
import { createEnvironmentSource } from '../../../../src/filesystem/s3/credentials/environment.ts'
import { createKeptKeys } from '../../../../src/filesystem/s3/credentials/kept-keys.ts'
import { headObject } from '../../../../src/filesystem/s3/objects.ts'
import { toDirectoryKey, toObjectKey, toObjectUrl, toS3Place } from '../../../../src/filesystem/s3/place.ts'
import { createS3FileSystem, type S3Options } from '../../../../src/filesystem/s3.ts'
import { createAsk } from '../../../../src/filesystem/webhdfs/transport/ask.ts'
import { maxPageBytes } from '../../../../src/filesystem/webhdfs/transport/read-limited.ts'
import { expectCode, listNames, readText } from '../../../suites/file-text.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { toErrorXml } from '../../../suites/s3/answer-s3.ts'
import { type FakeS3, startFakeS3, testEnv, testKeys } from '../../../suites/s3/fake-s3.ts'

let fake: FakeS3 | undefined
afterEach(async () => {
  await fake?.close()
  fake = undefined
})
const open = async (more: Partial<S3Options> = {}) => {
  fake ??= await startFakeS3()
  const how = { endpoint: fake.endpoint, region: 'r', env: testEnv, sleep: async () => {} }
  const fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how, ...more })
  onTestFinished(() => fs.close())
  return { fs, store: fake }
}

describe('a place', () => {
  test.for([
    ['s3://bb', {}, 'https://bb.s3.eu-west-1.amazonaws.com', ''],
    ['s3://bb/a/b/', {}, 'https://bb.s3.eu-west-1.amazonaws.com', 'a/b/'],
    ['s3://bb.c/%41', {}, 'https://s3.eu-west-1.amazonaws.com/bb.c', '%41/'],
    ['s3://bb', { pathStyle: true }, 'https://s3.eu-west-1.amazonaws.com/bb', ''],
    ['s3://bb', { endpoint: 'http://h:9000' }, 'http://h:9000/bb', ''],
    ['s3://bb', { endpoint: 'https://h/x/', pathStyle: false }, 'https://bb.h/x', ''],
  ] as const)('%s %o', ([url, how, base, prefix]) =>
    expect(toS3Place(url, { region: 'eu-west-1', ...how })).toMatchObject({ base, prefix, bucket: url.split('/')[2] }),
  )

  test.for([
    's3://',
    's3:///x',
    's3://bb/../c',
    's3://u@b',
    's3://b?x',
    's3://b#x',
    'http://b',
    's3://bb/./c',
    's3://-b',
  ])('%s is refused', url => expect(() => toS3Place(url, { region: 'r' })).toThrow(TypeError))

  test.for(['ftp://h', 'http://u:p@h', 'h:9000', 'http://h/?x'])(
    'the endpoint %s is refused, and not repeated',
    endpoint =>
      expect(() => toS3Place('s3://bb', { region: 'r', endpoint })).toThrow(
        /^Cannot use an endpoint of an object store: expected/,
      ),
  )

  test('keys are below the prefix, and URLs have them exactly', () => {
    const place = toS3Place('s3://bb/a b', { region: 'r', endpoint: 'http://h' })
    expect([toObjectKey(place, '/x/%2F'), toDirectoryKey(place, '/'), toDirectoryKey(place, '/x')]).toEqual([
      'a b/x/%2F',
      'a b/',
      'a b/x/',
    ])
    const url = toObjectUrl(place, "a b/+%2F(é)'!*~", { prefix: 'a b/+&', delimiter: undefined })
    expect(url.href).toBe('http://h/bb/a%20b/%2B%252F%28%C3%A9%29%27%21%2A~?prefix=a%20b%2F%2B%26')
  })

  test.for([
    ['a', true],
    ['', false],
    ['.', false],
    ['..', false],
    ['a/b', false],
    ['a\0', false],
    ['\ud800', false],
    ['é'.repeat(127), true],
    ['é'.repeat(128), false],
  ] as const)('the name %j: %s', ([name, is]) => expect(isEntryName(name)).toBe(is))
})

describe('what the store says', () => {
  test.for([
    [403, 'AccessDenied', 'denied', /AccessDenied: said/],
    [404, 'NoSuchBucket', 'unavailable', /NoSuchBucket: said; make the bucket/],
    [403, 'SignatureDoesNotMatch', 'unavailable', /answers HTTP 403 \(SignatureDoesNotMatch\)$/],
    [500, 'InternalError', 'unavailable', /InternalError: said/],
    [501, 'NotImplemented', 'unsupported', /NotImplemented: said/],
    [507, 'InsufficientStorage', 'quota-exceeded', /InsufficientStorage/],
    [400, 'NeverHeardOf', 'unavailable', /NeverHeardOf: said/],
  ] as const)('%d %s is %s', async ([status, code, want, message]) => {
    const { fs, store } = await open()
    store.fault = () => ({ status, text: toErrorXml(code, 'said') })
    const reading = fs.open('/f')
    await expectCode(reading, want)
    await expect(reading).rejects.toThrow(message)
  })

  test('nothing of what is no answer of S3 is repeated', async () => {
    const { fs, store } = await open()
    for (const text of ['<html>hush</html>', 'hush', '<Error><Code>hu sh</Code></Error>', '<Error>']) {
      store.fault = () => ({ status: 502, text })
      await expect(fs.open('/f')).rejects.toThrow(/^Cannot open "\/f": the store answers HTTP 502$/)
    }
    store.fault = () => ({ status: 200, text: 'hello' })
    await expect(listNames(fs, '/')).rejects.toThrow('the answer is not XML of S3, so the endpoint is not an S3 store')
    store.fault = () => ({ status: 200, text: '<html></html>' })
    await expect(listNames(fs, '/')).rejects.toThrow('the answer is no listing')
    store.fault = () => ({ status: 200, text: '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>' })
    await expect(listNames(fs, '/')).rejects.toThrow('the listing is cut, and names no next page')
  })

  test('a message is repeated in its first line, up to 300 characters', async () => {
    const { fs, store } = await open()
    store.fault = () => ({ status: 400, text: toErrorXml('InvalidRequest', `${'x'.repeat(1_000)}\nmore`) })
    await expect(fs.open('/f')).rejects.toThrow(/InvalidRequest: x{300}$/)
  })

  test('an answer that is larger than any page is not read to its end', async () => {
    const { fs, store } = await open({ maxRetries: 0 })
    const bytes = Buffer.alloc(maxPageBytes + 1, ' ')
    store.fault = () => ({ status: 200, bytes })
    await expect(listNames(fs, '/')).rejects.toThrow(/ANSWER_TOO_LARGE/)
  })

  test('a redirect is not followed, and says what to set', async () => {
    const asked: string[] = []
    const other = createServer((request, response) => {
      asked.push(String(request.url))
      response.end('x')
    })
    await new Promise<void>(done => other.listen(0, '127.0.0.1', done))
    onTestFinished(() => void other.close())
    const { fs, store } = await open()
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
    store.fault = () => ({ status: 307, headers: { location } })
    await expect(fs.open('/f')).rejects.toThrow(
      /it redirects, which is not followed: set endpoint and region of the cluster$/,
    )
    store.fault = () => ({ status: 301, headers: { location, 'x-amz-bucket-region': 'eu-west-9' } })
    await expect(fs.open('/f')).rejects.toThrow(/the bucket is in eu-west-9: set region of the cluster$/)
    expect(asked).toEqual([])
  })

  test('repeats what does no harm, a few times', async () => {
    const { fs, store } = await open()
    store.stored.put('lake/f', 'text')
    let refused = 0
    store.fault = () => (refused++ < 4 ? { status: 503, text: toErrorXml('SlowDown', 'slow') } : undefined)
    expect(await readText(fs, '/f')).toBe('text')
    refused = 0
    const once = await open({ maxRetries: 0 })
    await expectCode(once.fs.open('/f'), 'unavailable')
    expect(refused).toBe(1)
  })

  test('an answer that does not come in time, and bytes that stop coming', async () => {
    const server = createServer((request, response) => {
      if (request.url?.endsWith('silent')) return
      response.writeHead(200, { 'content-length': 10, etag: '"1"' })
      response.write('half')
    })
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { fs } = await open({ endpoint, timeoutMs: 50, idleTimeoutMs: 50, maxRetries: 0 })
    await expect(fs.open('/silent')).rejects.toThrow(/127\.0\.0\.1:\d+ failed with ETIMEDOUT/)
    await expect(readText(fs, '/half')).rejects.toThrow(/stalled for 50 ms after 4 bytes/)
  })

  test('a download that breaks off is never a short file', async () => {
    const { fs, store } = await open()
    store.stored.put('lake/f', 'x'.repeat(100_000))
    store.fault = () => 'half'
    await expectCode(readText(fs, '/f'), 'unavailable')
  })

  test('a store, or what stands before it, that knows no ranges', async () => {
    const { fs, store } = await open()
    store.fault = () => ({ status: 200, text: 'all of it', headers: { etag: '"1"' } })
    await expect(fs.open('/f', { offset: 4 })).rejects.toThrow('did not answer with the range that was asked for')
  })
})

describe('who calls', () => {
  test('keys that are refused are fetched anew, once', async () => {
    const { fs, store } = await open()
    store.stored.put('lake/f', 'text')
    store.keys.set(testKeys.accessKeyId, 'another secret')
    await expectCode(fs.open('/f'), 'unavailable')
    const asked = store.requests.length
    store.keys.set(testKeys.accessKeyId, testKeys.secretAccessKey)
    expect([await readText(fs, '/f'), asked]).toEqual(['text', 2])
  })

  test('a clock that is wrong is told by the store, and corrected', async () => {
    const { fs, store } = await open({ clock: () => Date.now() - 3_600_000 })
    store.stored.put('lake/f', 'text')
    expect([await readText(fs, '/f'), await readText(fs, '/f')]).toEqual(['text', 'text'])
    expect(store.requests).toHaveLength(3)
  })

  test('no secret is in what is said, nor in the URL of a request', async () => {
    const { fs, store } = await open({ env: { ...testEnv, AWS_SESSION_TOKEN: 'session-hush' } })
    await fs.publish('/f', chunksOf('x'))
    const errors: unknown[] = []
    for (const status of [400, 403, 500]) {
      store.fault = () => ({
        status,
        text: toErrorXml('SignatureDoesNotMatch', `${testKeys.secretAccessKey} session-hush`),
      })
      for (const call of [() => fs.open('/f'), () => fs.getFileStatus('/f'), () => fs.probe()]) {
        errors.push(await call().catch((error: unknown) => error))
      }
    }
    const said = errors
      .map(error => (error instanceof Error ? `${error.message}${error.stack}${JSON.stringify(error)}` : ''))
      .join()
    expect(said).toContain('SignatureDoesNotMatch')
    expect(`${said}${store.requests.join()}`).not.toMatch(/hush/)
  })

  test('without keys nothing is asked, and it is said where they were looked for', async () => {
    const { fs, store } = await open({
      env: { HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' },
      maxRetries: 0,
    })
    await expect(fs.open('/f')).rejects.toThrow(/^Cannot open "\/f": no credentials: looked at AWS_ACCESS_KEY_ID/)
    expect(store.requests).toEqual([])
  })
})

describe('a copy of what is too large for one step', () => {
  const copy = async (store: FakeS3): Promise<void> => {
    const own = createAsk()
    onTestFinished(() => own.close())
    const place = toS3Place('s3://bucket/lake', { endpoint: store.endpoint, region: 'r' })
    const keys = createKeptKeys([createEnvironmentSource(testEnv)])
    const client = createS3Client({ place, keys, ask: own.ask, maxRetries: 0 })
    const found = await headObject(client, '/a', 'rename')
    if (found) await copyObject(client, { source: '/a', target: '/b', found, overwrite: false }, 3)
  }

  test('goes by parts', async () => {
    const { store } = await open()
    store.stored.put('lake/a', '0123456789')
    await copy(store)
    expect(store.stored.objects.get('lake/b')?.bytes.toString()).toBe('0123456789')
    expect([
      store.requests.filter(request => request.includes('partNumber')).length,
      store.stored.uploads.size,
    ]).toEqual([4, 0])
  })

  test('that fails leaves nothing, and one that finds another there replaces nothing', async () => {
    const { store } = await open()
    store.stored.put('lake/a', '0123456789')
    store.fault = ({ query }) => (query.get('partNumber') === '3' ? { status: 500, text: '' } : undefined)
    await expectCode(copy(store), 'unavailable')
    store.fault = () => undefined
    store.stored.put('lake/b', 'b')
    await expectCode(copy(store), 'exists')
    expect([store.stored.keys(), store.stored.uploads.size]).toEqual([['lake/a', 'lake/b'], 0])
  })
})

const toListXml = (inner: string): string => `<ListBucketResult>${inner}</ListBucketResult>`

test('names in a listing are read as forms have them where the store says so, and as they are else', async () => {
  const { fs, store } = await open()
  const item = '<Contents><Key>lake/d/a+b%2Bc</Key></Contents>'
  store.fault = () => ({ status: 200, text: toListXml(`<EncodingType>url</EncodingType>${item}`) })
  expect(await listNames(fs, '/d')).toEqual(['a b+c'])
  store.fault = () => ({ status: 200, text: toListXml(item) })
  expect(await listNames(fs, '/d')).toEqual(['a+b%2Bc'])
})

test('a store that gives one page again and again is not asked without an end', async () => {
  const { fs, store } = await open()
  const page = toListXml('<IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken>')
  store.fault = () => (store.requests.length > 10 ? { status: 200, text: toListXml('') } : { status: 200, text: page })
  await expect(listNames(fs, '/')).rejects.toThrow('the store repeats itself')
})

test('250 000 keys: a page is read at a time, and none ahead that is not wanted', async () => {
  fake = await startFakeS3()
  for (let at = 0; at < 2_500; at++) fake.stored.put(`lake/d/${String(at).padStart(4, '0')}`, '')
  const { fs, store } = await open()
  for await (const part of fs.listStatus('/d')) {
    expect(part).toHaveLength(1_000)
    break
  }
  expect(store.requests.length).toBeLessThanOrEqual(2)
  expect(await listNames(fs, '/d')).toHaveLength(2_500)
})
