import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWriter, type Writer } from '../../../src/disk/writer.ts'

let directory = ''
let writer: Writer
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-writer-'))
  writer = createWriter()
})
afterEach(async () => {
  await writer.close()
  rmSync(directory, { recursive: true, force: true })
})

const shared = (length: number, value: number): Uint8Array =>
  new Uint8Array(new SharedArrayBuffer(length)).fill(value).fill(value + 1, length / 2)
const at = (name: string): string => join(directory, name)

const descriptors = '/proc/self/fd'
/** What this process has open, by descriptor. */
const openPaths = (): string[] => {
  const paths: string[] = []
  for (const fd of readdirSync(descriptors)) {
    try {
      paths[Number(fd)] = readlinkSync(join(descriptors, fd))
    } catch {
      // The descriptor of this listing is gone.
    }
  }
  return paths
}

test('a writer appends bytes in shared memory and others, small and large, in the order of the calls', async () => {
  const file = await writer.create(at('file'))
  const kept = Array.from({ length: 11 }, (_, i) => shared(100, i + 1))
  const some = [
    ...kept.map(bytes => bytes.subarray(10, 40)),
    new Uint8Array(50).fill(90),
    shared((1 << 20) + 1, 91),
    // The first memories were forgotten for later ones meanwhile.
    ...kept.map(bytes => bytes.subarray(50)),
    new Uint8Array(0),
  ]
  const lengths = some.map(bytes => file.append(bytes))
  const want = Buffer.concat(some)
  expect(await file.fdatasync()).toBe(want.length)
  expect((await Promise.all(lengths)).at(-1)).toBe(want.length)
  expect(readFileSync(at('file')).equals(want)).toBe(true)
})

test('appended bytes are those of the time of the call, in any memory, at any offset', async () => {
  // More than the thread keeps, one that is too large to be kept, and two that are not shared.
  const memories = [
    ...Array.from({ length: 10 }, () => new SharedArrayBuffer(100)),
    new SharedArrayBuffer((1 << 20) + 1),
    new ArrayBuffer(100),
    new ArrayBuffer(100),
  ]
  const range = fc.tuple(fc.nat(100), fc.nat(100)).map(([a, b]) => (a < b ? [a, b] : [b, a]))
  const step = fc.record({ memory: fc.constantFrom(...memories), range, bytes: fc.infiniteStream(fc.nat(255)) })
  let files = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async steps => {
      const path = at(`file-${files++}`)
      const file = await writer.create(path)
      const want: number[] = []
      for (const { memory, range, bytes: values } of steps) {
        const bytes = new Uint8Array(memory).subarray(...range)
        for (const i of bytes.keys()) bytes[i] = Number(values.next().value)
        want.push(...bytes)
        expect(await file.append(bytes)).toBe(want.length)
      }
      expect(await file.fdatasync()).toBe(want.length)
      await file.close()
      expect([...readFileSync(path)]).toEqual(want)
    }),
  )
})

test('more calls at once than the ring holds are all answered, in order', async () => {
  const file = await writer.create(at('file'))
  const bytes = shared(1, 7)
  const lengths = await Promise.all(Array.from({ length: 3_000 }, () => file.append(bytes)))
  expect(lengths).toEqual(Array.from({ length: 3_000 }, (_, i) => i + 1))
})

test('a closed file is written no more', async () => {
  const file = await writer.create(at('file'))
  await file.close()
  await expect(file.append(shared(1, 1))).rejects.toThrow('not open')
  if (existsSync(descriptors)) expect(openPaths()).not.toContain(at('file'))
})

test.each([
  [
    'what it asked the writer',
    'const file = await writer.create(path); console.log(await file.append(bytes), await file.fdatasync())',
    '9 9\n',
  ],
  ['no writer that it asked nothing', '', ''],
])('a process waits for %s', (_, calls, want) => {
  const module = JSON.stringify(new URL('../../../src/disk/writer.ts', import.meta.url))
  const script = `import { createWriter } from ${module}
    const [writer, path, bytes] = [createWriter(), ${JSON.stringify(at('file'))}, new Uint8Array(9)]
    ${calls}`
  writeFileSync(at('script.mjs'), script)
  expect(execFileSync(process.execPath, [at('script.mjs')], { encoding: 'utf8', timeout: 30_000 })).toBe(want)
})

test('a file that cannot be opened is refused with its code, and no other with it', async () => {
  const [missing, file] = await Promise.allSettled([writer.create(at('none/file')), writer.create(at('file'))])
  expect(missing).toMatchObject({ status: 'rejected', reason: { code: 'ENOENT' } })
  expect(file.status).toBe('fulfilled')
})

/** Threads share descriptors: the one of the file leads to a full device from now on. */
const fillDisk = (path: string): void => {
  const fd = openPaths().indexOf(path)
  closeSync(fd)
  const opened: number[] = []
  while (opened.at(-1) !== fd) opened.push(openSync('/dev/full', 'w'))
  for (const other of opened.slice(0, -1)) closeSync(other)
}

test.runIf(existsSync('/dev/full'))('R5: after a failed append no later append or sync succeeds', async () => {
  const file = await writer.create(at('file'))
  const other = await writer.create(at('other'))
  const bytes = shared(10, 1)
  await file.append(bytes)
  fillDisk(at('file'))
  const calls = [file.append(bytes), file.fdatasync(), file.append(new Uint8Array(0)), other.append(bytes)]
  const [first, ...later] = await Promise.allSettled(calls)
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'ENOSPC' } })
  expect(later.slice(0, 2)).toEqual([first, first])
  expect(later[2]).toEqual({ status: 'fulfilled', value: 10 })
  await file.close()
})

test('a thread that ends refuses who waits and who comes', async () => {
  const file = await writer.create(at('file'))
  const pending = file.append(new Uint8Array(10))
  const refused = expect(pending).rejects.toThrow('ended')
  await writer.close()
  await refused
  await expect(file.fdatasync()).rejects.toThrow('ended')
  await expect(writer.create(at('other'))).rejects.toThrow('ended')
})

test.each([0, 1, 2, 3, 5, 8, 13, 21])(
  'after %i turns: what was said to be safe stands in the file, all else is refused',
  async turns => {
    const file = await writer.create(at('file'))
    const bytes = shared(1_000, 1)
    let safe = 0
    let refused = 0
    const calls = Array.from({ length: 1_000 }, async () => {
      try {
        await file.append(bytes)
        safe = Math.max(safe, await file.fdatasync())
      } catch {
        refused++
      }
    })
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
    await writer.close()
    await Promise.all(calls)
    expect(readFileSync(at('file')).length).toBeGreaterThanOrEqual(safe)
    expect(safe === 1_000_000).toBe(refused === 0)
  },
)

test('a file that is deleted while it is open is there again with the next append, with all that it held', async () => {
  const news: object[] = []
  const own = createWriter({ onRestored: one => void news.push(one) })
  const file = await own.create(at('first'))
  const large = shared(3 << 20, 7)
  await file.append(large)
  await file.append(Buffer.from('acknowledged'))
  await file.fdatasync()
  // As the ledger, which gets its name once it is whole.
  renameSync(at('first'), at('file'))
  for (const text of [' more', ' and more']) {
    rmSync(at('file'))
    expect(await file.append(Buffer.from(text))).toBe(readFileSync(at('file')).length)
    await file.fdatasync()
  }
  const want = Buffer.concat([large, Buffer.from('acknowledged more and more')])
  expect(readFileSync(at('file')).equals(want)).toBe(true)
  expect(readdirSync(directory)).toEqual(['file'])
  await file.close()
  expect(openPaths().filter(path => path.startsWith(directory))).toEqual([])
  await own.close()
  expect(news).toEqual([
    { restored: at('file'), bytes: large.length + 12 },
    { restored: at('file'), bytes: large.length + 17 },
  ])
})

test('where a deleted file cannot be made again the append fails, and nothing of it stays', async () => {
  mkdirSync(at('below'))
  const file = await writer.create(at('below/file'))
  await file.append(Buffer.from('x'))
  rmSync(at('below'), { recursive: true })
  await expect(file.append(Buffer.from('y'))).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(file.append(Buffer.from('z'))).rejects.toMatchObject({ code: 'ENOENT' })
  writeFileSync(at('below'), '')
  await file.close()
})
