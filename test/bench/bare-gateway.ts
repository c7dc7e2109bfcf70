/**
 * What Sluice's gateway is measured against: `node:http` and the shortest code that does the work for one file. It
 * checks nothing, bounds nothing, knows one format each, and believes every path; not something to run.
 *
 *     node test/bench/bare-gateway.ts
 *
 * prints `{"msg":"baseline is ready","server":"http://127.0.0.1:PORT"}`. Routes, each with `path` (a local file):
 *
 *     /pipe?url=     what an HTTP server answers to a GET of the URL, its head included, from socket to socket
 *     /file          the bytes of the file
 *     /put           the body, into the file
 *     /rows          lines of text, split at TABs, as JSON objects
 *     /first         51 of them, from the first 64 KiB
 *     /inflate       what `index` (JSON: [offset, length] of each piece) unfolds to
 *     /list          status of everything in a directory, made in memory, as JSON
 */
import { once } from 'node:events'
import { createReadStream, createWriteStream, openSync, readFileSync, readSync } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'

type Route = (query: URLSearchParams, response: ServerResponse, request: IncomingMessage) => Promise<unknown>

const chunkBytes = 65_536
const unfold = promisify(inflate)

/** One buffer for all reads: the next one waits until the kernel has taken what is in it. */
const pipeUrl: Route = async (query, _response, { socket: client }) => {
  const { hostname, port, host, pathname, search } = new URL(pathOf(query, 'url'))
  const buffer = Buffer.allocUnsafeSlow(4 * chunkBytes)
  const callback = (length: number): boolean => {
    client.write(buffer.subarray(0, length), () => upstream.resume())
    return client.writableLength === 0
  }
  const upstream = connect({ host: hostname, port: Number(port), onread: { buffer, callback } })
  upstream.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  client.once('close', () => upstream.destroy())
  await once(upstream, 'end')
  client.end()
}

const sendFile: Route = (query, response) => pipeline(createReadStream(pathOf(query)), response)

const putFile: Route = async (query, response, request) => {
  await pipeline(request, createWriteStream(pathOf(query)))
  response.writeHead(201).end()
}

async function* toRows(query: URLSearchParams): AsyncGenerator<string> {
  let rest = ''
  let before = '['
  for await (const chunk of createReadStream(pathOf(query), 'utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield before + lines.map(toRow).join(',')
    before = ','
  }
  yield ']'
}

const toRow = (line: string): string => {
  const row: Record<string, string> = {}
  for (const [index, value] of line.split('\t').entries()) row[`col-${index}`] = value
  return JSON.stringify(row)
}

const sendRows: Route = (query, response) => pipeline(toRows(query), response)

const sendFirst: Route = async (query, response) => {
  const file = await open(pathOf(query))
  try {
    const { buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, 0)
    response.end(`[${buffer.toString().split('\n').slice(0, 51).map(toRow).join(',')}]`)
  } finally {
    await file.close()
  }
}

async function* toUnfolded(query: URLSearchParams): AsyncGenerator<Buffer> {
  const fd = openSync(pathOf(query), 'r')
  for (const [offset, length] of JSON.parse(readFileSync(pathOf(query, 'index'), 'utf8')) as [number, number][]) {
    const bytes = Buffer.allocUnsafe(length)
    readSync(fd, bytes, 0, length, offset)
    yield await unfold(bytes)
  }
}

const sendUnfolded: Route = (query, response) => pipeline(toUnfolded(query), response)

const sendList: Route = async (query, response) => {
  const directory = pathOf(query)
  const names = (await readdir(directory)).sort()
  const entries: unknown[] = []
  for (const name of names) {
    const { size, mtimeMs } = await lstat(join(directory, name))
    entries.push({ path: name, size, mtime: mtimeMs })
  }
  response.end(JSON.stringify({ entries }))
}

const routes: Readonly<Record<string, Route>> = {
  '/pipe': pipeUrl,
  '/file': sendFile,
  '/put': putFile,
  '/rows': sendRows,
  '/first': sendFirst,
  '/inflate': sendUnfolded,
  '/list': sendList,
}

const pathOf = (query: URLSearchParams, name = 'path'): string => query.get(name) ?? ''

const listener: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  routes[pathname]?.(searchParams, response, request).catch((error: unknown) => {
    console.error(error)
    response.destroy()
  })
}

const server = createServer(listener)

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The baseline has no TCP address')
  const url = `http://127.0.0.1:${address.port}`
  process.stdout.write(`${JSON.stringify({ msg: 'baseline is ready', server: url })}\n`)
})
