import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { ListStatusOptions, ListStatusResult } from '../../bench/list-status.ts'

const script = join(import.meta.dirname, '../../bench/list-status.ts')

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server has no TCP address')
  return `http://127.0.0.1:${address.port}/many?op=X`
}

const list = async (options: ListStatusOptions): Promise<ListStatusResult> => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(options)])
  return JSON.parse(stdout) as ListStatusResult
}

const toStatuses = (names: readonly string[]) => ({
  FileStatuses: { FileStatus: names.map(pathSuffix => ({ pathSuffix })) },
})

test('list-status: all names of one answer, wherever it is cut', async () => {
  const text = JSON.stringify(toStatuses(['part-0', 'part-1', 'other', 'part-2']))
  const url = await serve((_request, response) => {
    const [...chars] = text
    const write = (): void => {
      const char = chars.shift()
      if (char === undefined) response.end()
      else response.write(char, () => setImmediate(write))
    }
    write()
  })
  expect(await list({ url, entries: 3 })).toMatchObject({ pages: 1 })
  await expect(list({ url, entries: 4 })).rejects.toThrow('has 3 entries, not 4')
})

test('list-status: pages, each behind the last name of the one before', async () => {
  const names = ['part-0', 'part-1', 'part-2', 'part-3', 'part-4']
  const asked: (string | null)[] = []
  const url = await serve((request, response) => {
    const startAfter = new URL(request.url ?? '', 'http://localhost').searchParams.get('startAfter')
    asked.push(startAfter)
    const first = names.findIndex(name => startAfter === null || name > startAfter)
    const page = names.slice(first, first + 2)
    const remainingEntries = names.length - first - page.length
    response.end(JSON.stringify({ DirectoryListing: { partialListing: toStatuses(page), remainingEntries } }))
  })
  expect(await list({ url, entries: 5, isPaged: true })).toMatchObject({ pages: 3 })
  expect(asked).toEqual([null, 'part-1', 'part-3'])
})

test('list-status: another status fails the run', async () => {
  const url = await serve((_request, response) => void response.writeHead(403).end())
  await expect(list({ url, entries: 1 })).rejects.toThrow('answered with 403')
})
