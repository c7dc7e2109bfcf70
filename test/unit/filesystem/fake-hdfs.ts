import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request as the fake sees it: `name CREATE` at the name node, `data CREATE` at the data node. */
export type FakeRequest = {
  readonly step: string
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Takes a request over, and returns true; or leaves it to the fake. */
export type FakeFault = (call: FakeRequest) => boolean

export type FakeHdfs = {
  readonly url: string
  readonly files: Map<string, Buffer>
  /** Empty ones. */
  readonly directories: Set<string>
  /** All steps so far. */
  readonly steps: string[]
  readonly requests: FakeRequest[]
  fault: FakeFault
  close(): Promise<void>
}

/** A name node and a data node with a flat directory of files, for what a real HDFS does not do on demand. */
export const startFakeHdfs = async (): Promise<FakeHdfs> => {
  const files = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    void answer(fake, request, response)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const fake: FakeHdfs = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    directories: new Set(['/']),
    steps: [],
    requests: [],
    fault: () => false,
    close: () =>
      new Promise(done => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
  return fake
}

/** Answers in JSON. */
export const sendJson = (response: ServerResponse, status: number, json: unknown): true => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  return true
}

/** Answers with a `RemoteException`. */
export const sendRemote = (response: ServerResponse, status: number, exception: string, message = exception): true =>
  sendJson(response, status, { RemoteException: { exception, javaClassName: `x.${exception}`, message } })

/** One element of a listing. */
export const toStatus = (pathSuffix: string, length: number | undefined) => ({
  pathSuffix,
  type: length === undefined ? 'DIRECTORY' : 'FILE',
  length: length ?? 0,
  modificationTime: 1,
  accessTime: 2,
  owner: 'o',
  group: 'g',
  permission: '644',
  replication: 1,
  blockSize: 1024,
})

/**
 * As a name node does it: with `NONE` an existing target is refused, with `OVERWRITE` a file is replaced. Without the
 * option the answer is a boolean, and an existing directory takes the file in.
 */
const rename = (
  { files, directories }: FakeHdfs,
  response: ServerResponse,
  source: string,
  query: URLSearchParams,
): void => {
  const target = query.get('destination') ?? ''
  const option = query.get('renameoptions')
  const bytes = files.get(source)
  const move = (to: string): void => {
    files.delete(source)
    files.set(to, bytes ?? Buffer.alloc(0))
  }
  if (option === null) {
    const to = directories.has(target) ? `${target}/${source.split('/').at(-1)}` : target
    const isDone = bytes !== undefined && !files.has(to)
    if (isDone) move(to)
    return void sendJson(response, 200, { boolean: isDone })
  }
  if (!bytes) return void sendRemote(response, 404, 'FileNotFoundException')
  if (directories.has(target) || (files.has(target) && option !== 'OVERWRITE')) {
    return void sendRemote(response, 403, 'FileAlreadyExistsException', `rename destination ${target} already exists`)
  }
  move(target)
  response.writeHead(200).end()
}

const answer = async (fake: FakeHdfs, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', fake.url)
  const isData = url.pathname.startsWith('/data')
  const path = decodeURIComponent(url.pathname.replace(/^(\/data)?\/webhdfs\/v1/, ''))
  const query = url.searchParams
  const step = `${isData ? 'data' : 'name'} ${query.get('op')}`
  const call = { step, query, request, response }
  fake.steps.push(step)
  fake.requests.push(call)
  if (fake.fault(call)) return
  const { files } = fake
  switch (step) {
    case 'name CREATE':
    case 'name OPEN':
      if (step === 'name OPEN' && !files.has(path)) return void sendRemote(response, 404, 'FileNotFoundException')
      return void response.writeHead(307, { location: `${fake.url}/data${request.url}` }).end()
    case 'data CREATE': {
      response.writeContinue()
      const chunks: Buffer[] = []
      try {
        for await (const chunk of request) chunks.push(Buffer.from(chunk))
      } catch {
        return
      }
      files.set(path, Buffer.concat(chunks))
      return void response.writeHead(201).end()
    }
    case 'data OPEN': {
      const bytes = files.get(path) ?? Buffer.alloc(0)
      return void response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    }
    case 'name GETFILESTATUS': {
      const isThere = files.has(path) || fake.directories.has(path)
      if (!isThere) return void sendRemote(response, 404, 'FileNotFoundException')
      return void sendJson(response, 200, { FileStatus: toStatus('', files.get(path)?.length) })
    }
    case 'name DELETE':
      return void sendJson(response, 200, { boolean: files.delete(path) })
    case 'name RENAME': {
      return rename(fake, response, path, query)
    }
    case 'name CONCAT': {
      const source = query.get('sources') ?? ''
      const [target, bytes] = [files.get(path), files.get(source)]
      if (!target || !bytes) return void sendRemote(response, 404, 'FileNotFoundException')
      files.set(path, Buffer.concat([target, bytes]))
      files.delete(source)
      return void response.writeHead(200).end()
    }
    case 'name SETPERMISSION':
      return void response.writeHead(200).end()
    case 'name MKDIRS':
      return void sendJson(response, 200, { boolean: true })
    case 'name LISTSTATUS': {
      const FileStatus = [...files].map(([name, bytes]) => toStatus(name.slice(1), bytes.length))
      return void sendJson(response, 200, { FileStatuses: { FileStatus } })
    }
    default:
      return void sendRemote(
        response,
        400,
        'IllegalArgumentException',
        `Invalid value for webhdfs parameter "op": ${step}`,
      )
  }
}
