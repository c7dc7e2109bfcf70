import { afterEach, describe, expect, test } from 'vitest'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import { chunksOf, listNames, readText } from '../suites/filesystem.ts'
import { createTestGateway, type TestGateway } from '../suites/gateway.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { createRawClient } from '../unit/http/raw-client.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const listen = async (fileSystem: FileSystem | null = createMemoryFileSystem(), settings: readonly string[] = []) => {
  gateway = await createTestGateway({ fileSystem, settings })
  const listeners = await gateway.app.start()
  const server = listeners.find(({ name }) => name === 'server')
  return { fs: gateway.fs, port: server?.port ?? 0, url: server?.url ?? '' }
}

describe('R14: an upload over a socket that is cut at any byte', () => {
  const head = (more: string) => `POST /rest/1.0?path=/new/f HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  const create = (more: string) =>
    head(more).replace('POST /rest/1.0?path=/new/f', 'PUT /webhdfs/v1/new/f?op=CREATE&data=true')
  const boundary = 'Content-Type: multipart/form-data; boundary=b0\r\n'
  const form = '--b0\r\nContent-Disposition: form-data; name=f; filename=n\r\n\r\nhello\r\n--b0--'
  test.each([
    { name: 'with a length', request: `${head('Content-Length: 5\r\n')}hello` },
    { name: 'in chunks', request: `${head('Transfer-Encoding: chunked\r\n')}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n` },
    { name: 'by CREATE with a length', request: `${create('Content-Length: 5\r\n')}hello` },
    {
      name: 'by CREATE in chunks',
      request: `${create('Transfer-Encoding: chunked\r\n')}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`,
    },
    { name: 'as a form', request: `${head(`${boundary}Content-Length: ${form.length}\r\n`)}${form}` },
  ])('$name: leaves nothing', async ({ request }) => {
    const { fs, port } = await listen()
    const start = request.indexOf('\r\n\r\n')
    for (let end = start; end < request.length; end++) {
      const client = await createRawClient(port)
      client.socket.end(request.slice(0, end), 'latin1')
      await client.rest()
      await expect.poll(() => listNames(fs, '/'), { message: `cut at ${end}` }).toEqual([])
    }
    const client = await createRawClient(port)
    client.send(request)
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 201 /)
    client.socket.destroy()
    expect(await readText(fs, '/new/f')).toBe('hello')
  })
})

describe('R14: an APPEND over a socket that is cut at any byte', () => {
  const head = (more: string) => `POST /webhdfs/v1/f?op=APPEND HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  test.each([
    { name: 'with a length', request: `${head('Content-Length: 7\r\n')}, hello` },
    { name: 'in chunks', request: `${head('Transfer-Encoding: chunked\r\n')}4\r\n, he\r\n3\r\nllo\r\n0\r\n\r\n` },
  ])('$name: adds nothing', async ({ request }) => {
    const { fs, port } = await listen()
    await fs.create('/f', chunksOf('before'))
    const start = request.indexOf('\r\n\r\n')
    for (let end = start; end < request.length; end++) {
      const client = await createRawClient(port)
      client.socket.end(request.slice(0, end), 'latin1')
      await client.rest()
      await expect.poll(() => listNames(fs, '/'), { message: `cut at ${end}` }).toEqual(['f'])
      expect(await readText(fs, '/f'), `cut at ${end}`).toBe('before')
    }
    const client = await createRawClient(port)
    client.send(request)
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /)
    client.socket.destroy()
    expect(await readText(fs, '/f')).toBe('before, hello')
  })
})

describe('R14: a download that is cut upstream', () => {
  /** A file whose stream breaks after a number of bytes. */
  const breaking = (good: number): FileSystem => {
    const memory = createMemoryFileSystem()
    return {
      ...memory,
      getFileStatus: async path => ({ ...(await memory.getFileStatus('/')), path, isDirectory: false, length: 1_000 }),
      open: async path => {
        let at = 0
        return new ReadableStream(
          {
            pull: controller => {
              if (at === good) throw new FileSystemError('unavailable', path, `Cannot read "${path}": it broke`)
              at++
              controller.enqueue(Buffer.from(at % 10 === 0 ? '\n' : 'x'))
            },
          },
          { highWaterMark: 0 },
        )
      },
    }
  }
  const cuts = [0, 1, 2, 9, 10, 11, 500, 998, 999]

  test.each(['binary', 'json', 'text'])('%s: the client never sees a whole answer', async route => {
    for (const good of cuts) {
      const { port } = await listen(breaking(good))
      const client = await createRawClient(port)
      client.send(`GET /rest/1.0/${route}?path=/f HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      const answer = await client.rest()
      const isRefused = /^HTTP\/1\.1 5\d\d /.test(answer)
      const [head = '', body = ''] = answer.split('\r\n\r\n', 2)
      const isWhole = /chunked/i.test(head) ? answer.endsWith('\r\n0\r\n\r\n') : body.length === 1_000
      expect({ good, isShortSuccess: !isRefused && isWhole }).toEqual({ good, isShortSuccess: false })
      await gateway?.close()
      gateway = undefined
    }
  })
})

test('a client that leaves stops the reading upstream', async () => {
  let isCancelled = false
  const memory = createMemoryFileSystem()
  const { port } = await listen({
    ...memory,
    getFileStatus: async path => ({ ...(await memory.getFileStatus('/')), path, isDirectory: false, length: 1e12 }),
    open: async () =>
      new ReadableStream({
        pull: controller => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => {
          isCancelled = true
        },
      }),
  })
  const client = await createRawClient(port)
  client.send('GET /rest/1.0/binary?path=/f HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await client.until(/\r\n\r\n/)
  client.socket.destroy()
  await expect.poll(() => isCancelled).toBe(true)
})

test('the local file system: what is uploaded is there, private parts and all', async () => {
  const { url } = await listen(null)
  const answer = await fetch(`${url}/rest/1.0?path=/d/f&permission=600`, { method: 'POST', body: 'hello' })
  expect([answer.status, await answer.json()]).toMatchObject([201, { permission: '0600', size: 5 }])
  const read = await fetch(`${url}${answer.headers.get('location')}`)
  expect([await read.text(), read.headers.get('content-length')]).toEqual(['hello', '5'])
  await fetch(`${url}/rest/1.0?path=/d&recursive=true`, { method: 'DELETE' })
  expect((await fetch(`${url}/rest/1.0/json?path=/d`)).status).toBe(404)
})

test('a directory of many entries is listed without holding it', async () => {
  const count = 20_000
  const memory = createMemoryFileSystem()
  const entry = { ...(await memory.getFileStatus('/')), isDirectory: false }
  let listed = 0
  gateway = await createTestGateway({
    fileSystem: {
      ...memory,
      async *listStatus() {
        for (; listed < count; listed++) yield [{ ...entry, path: `/d/part-${String(listed).padStart(6, '0')}` }]
      },
    },
  })
  const response = await gateway.call('/rest/1.0/json?path=/&content=false')
  const reader = response.body?.getReader()
  await reader?.read()
  expect(listed).toBeLessThan(count)
  let text = ''
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    text += Buffer.from(next.value).toString('latin1')
  }
  expect(text.endsWith('}]}')).toBe(true)
  expect(listed).toBe(count)
})

test('over a socket the Host header counts, and has to be there', async () => {
  const { port } = await listen()
  const statusOf = async (request: string) => {
    const client = await createRawClient(port)
    client.send(`${request}\r\nConnection: close\r\n\r\n`)
    return (await client.rest()).slice(9, 12)
  }
  expect(await statusOf('GET /rest/1.0/json?path=/ HTTP/1.1\r\nHost: localhost')).toBe('200')
  expect(await statusOf(`GET /rest/1.0/json?path=/ HTTP/1.1\r\nHost: 127.0.0.1:${port}`)).toBe('200')
  expect(await statusOf('GET /rest/1.0/json?path=/ HTTP/1.1\r\nHost: evil.example')).toBe('403')
  expect(await statusOf('GET /rest/1.0/json?path=/ HTTP/1.0\r\nAccept: */*')).toBe('403')
})
