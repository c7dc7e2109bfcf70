import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { TransferOptions, TransferResult } from '../../bench/transfer.ts'

const script = join(import.meta.dirname, '../../bench/transfer.ts')

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server has no TCP address')
  return `http://127.0.0.1:${address.port}`
}

const transfer = async (options: Partial<TransferOptions> & Pick<TransferOptions, 'url'>): Promise<TransferResult> => {
  const args = [script, JSON.stringify({ method: 'GET', requests: 1, ...options })]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as TransferResult
}

test('transfer: files in turn by several connections, each once followed to where its bytes are', async () => {
  const asked: string[] = []
  const dataNode = await serve((_request, response) => void response.end('12345'))
  const nameNode = await serve(({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(307, { location: `${dataNode}${url}` }).end()
  })
  const result = await transfer({ url: `${nameNode}/part-*`, files: 3, connections: 2, requests: 7, answerBytes: 5 })
  expect(asked.toSorted()).toEqual([0, 0, 0, 1, 1, 2, 2].map(number => `/part-${number}`))
  expect(result).toMatchObject({ requests: 7, allRequests: 7, bytes: 35 })
})

test.each<[string, RequestListener, RegExp]>([
  ['another status', (_request, response) => void response.writeHead(404).end('12345'), /answered with 404/],
  ['another length', (_request, response) => void response.end('1234'), /answered with 4 bytes, not 5/],
  [
    'a body that is cut',
    (_request, response) => {
      response.writeHead(200, { 'content-length': 5 }).write('123')
      setImmediate(() => response.destroy())
    },
    /aborted/,
  ],
])('transfer: %s fails the run', async (_what, listener, want) => {
  const url = await serve(listener)
  await expect(transfer({ url, answerBytes: 5 })).rejects.toThrow(want)
})
