import { afterEach, expect, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { at, createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const lines = (count: number, length = 60): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, row) => `${row}`.padEnd(length, '.')).join('\n'))

/** A gateway, and how many bytes of files it has read since it was asked last. */
const setUp = async (files: Readonly<Record<string, Uint8Array>>) => {
  let time = 1
  const memory = createMemoryFileSystem({ now: () => time })
  const put = async (path: string, bytes: Uint8Array): Promise<void> => {
    time++
    const chunks = async function* () {
      for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536)
    }
    await memory.create(path, chunks(), { overwrite: true })
  }
  for (const [path, bytes] of Object.entries(files)) await put(path, bytes)
  let read = 0
  const fileSystem: FileSystem = {
    ...memory,
    open: async (path, options) => {
      const source = await memory.open(path, options)
      return new ReadableStream<Uint8Array>({
        async start(controller) {
          for await (const chunk of source) {
            read += chunk.length
            controller.enqueue(chunk)
          }
          controller.close()
        },
      })
    },
  }
  const opened = await createTestGateway({ fileSystem })
  gateway = opened
  const { call } = opened
  const takeRead = (): number => {
    const taken = read
    read = 0
    return taken
  }
  const rowsOf = async (path: string, range: string, more = ''): Promise<unknown[]> => {
    const response = await call(at('/json', path, `&range=${range}${more}`))
    const { entries } = (await response.json()) as { entries: { content: Record<string, unknown>[] }[] }
    return entries.flatMap(({ content }) => content.map(row => Object.values(row)[0]))
  }
  return { call, put, takeRead, rowsOf }
}

const number = (row: number): string => `${row}`.padEnd(60, '.')

test('the second far jump costs what a near one costs, by every way to read rows', async () => {
  const { call, takeRead, rowsOf } = await setUp({ '/big.txt': lines(100_000) })
  expect(await rowsOf('/big.txt', '90000-90001')).toEqual([number(90_000), number(90_001)])
  expect(takeRead()).toBeGreaterThan(5_000_000)
  // Requests to files are of 256 KB at first, and the head is looked at.
  const near = 1_500_000
  expect(await rowsOf('/big.txt', '95000-95000')).toEqual([number(95_000)])
  expect(takeRead()).toBeLessThan(near)
  expect(await rowsOf('/big.txt', '40000-40000')).toEqual([number(40_000)])
  expect(takeRead()).toBeLessThan(near)
  const text = await call(at('/text', '/big.txt', '&range=70000-70000'))
  expect(await text.text()).toBe(`${number(70_000)}\r\n`)
  expect(takeRead()).toBeLessThan(near)
  const page = await call(at('/hdfs', '/big.txt', '&range=60000-60010'), { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('60004')
  expect(takeRead()).toBeLessThan(near)
})

test('a file that has changed is read from its top', async () => {
  const { put, rowsOf } = await setUp({ '/big.txt': lines(20_000) })
  expect(await rowsOf('/big.txt', '19000-19000')).toEqual([number(19_000)])
  // As long as before, with other rows.
  const flat = lines(20_000).toString().replaceAll('\n', '.')
  const other = flat.replace(/(.{10})./g, '$1\n')
  await put('/big.txt', Buffer.from(other))
  expect(await rowsOf('/big.txt', '19000-19000')).toEqual([other.split('\n')[19_000]])
  expect(await rowsOf('/big.txt', '0-0')).toEqual(['0.........'])
})

test('rows are counted over the files of a directory, wherever each is begun', async () => {
  // A file that ends with a line's end has its last place after its last row.
  const { rowsOf, takeRead } = await setUp({
    '/d/a.txt': Buffer.concat([lines(30_000), Buffer.from('\n')]),
    '/d/b.txt': lines(30_000),
    '/d/c.txt': lines(1),
  })
  for (let turn = 0; turn < 2; turn++) {
    expect(await rowsOf('/d', '29999-30001')).toEqual([number(29_999), number(0), number(1)])
    expect(await rowsOf('/d', '59999-60000')).toEqual([number(29_999), number(0)])
    expect(await rowsOf('/d', '60001-60002')).toEqual([])
    expect(await rowsOf('/d', '30000-30000')).toEqual([number(0)])
    expect(await rowsOf('/d', '60000-60000')).toEqual([number(0)])
  }
  takeRead()
  expect(await rowsOf('/d', '50000-50000')).toEqual([number(20_000)])
  expect(takeRead()).toBeLessThan(2_000_000)
})

test('lines and rows of one file are counted apart', async () => {
  const json = Buffer.from(
    JSON.stringify(
      Array.from({ length: 20_000 }, (_, row) => ({ row })),
      null,
      1,
    ),
  )
  const { rowsOf } = await setUp({ '/x.json': json })
  for (let turn = 0; turn < 2; turn++) {
    expect(await rowsOf('/x.json', '15000-15000')).toEqual([15_000])
    expect(await rowsOf('/x.json', '15000-15000', '&raw=true')).toEqual([' },'])
  }
})
