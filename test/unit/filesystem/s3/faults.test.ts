/** R19 at the file system: a file is there once, whatever fails at whichever step, and no upload is left over. */
import { crc32 } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { expectCode } from '../../../suites/file-text.ts'
import { type Answer, toErrorXml } from '../../../suites/s3/answer-s3.ts'
import { type FakeS3, type FakeS3Options, type S3Fault, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'

const path = '/e/f'
const partBytes = 1_000
const sizes = { 'one PUT': 900, parts: 3_500 } as const

let fake: FakeS3
const opened: FileSystem[] = []
afterEach(async () => {
  for (const fs of opened.splice(0)) await fs.close()
  await fake.close()
})

/** A file system with a key of its own, by which its requests are known. */
const open = async (id: string, more: { readonly maxRetries?: number } = {}): Promise<FileSystem> => {
  fake.keys.set(id, testEnv.AWS_SECRET_ACCESS_KEY)
  const env = { ...testEnv, AWS_ACCESS_KEY_ID: id }
  const how = { endpoint: fake.endpoint, region: 'r', env, partBytes, sleep: async () => {}, ...more }
  const fs = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  opened.push(fs)
  return fs
}
const start = async (options: FakeS3Options = {}): Promise<void> => {
  fake = await startFakeS3(options)
}
const isOf = (id: string, request: Parameters<FakeS3['fault']>[0]): boolean =>
  String(request.headers.authorization).includes(`Credential=${id}/`)

const contentOf = (length: number): Buffer => Buffer.alloc(length, 'sluice')
async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 450) yield bytes.subarray(at, at + 450)
}

/** What a ledger knows of a file. */
type Note = { isMoving: boolean }

/** Commits as the spool does, until it is done; a ledger says what went before. @returns how it ended, or why it did not */
const commit = async (fs: FileSystem, bytes: Buffer, note: Note, most = 6): Promise<string> => {
  const attempt = { temporary: '/e/_tmp/t', length: bytes.length, crc: crc32(bytes) }
  for (let round = 0; round < most; round++) {
    try {
      const noted = async (): Promise<void> => {
        note.isMoving = true
      }
      const { outcome } = note.isMoving
        ? await fs.settle(path, attempt)
        : await fs.publish(path, chunksOf(bytes), { attempt: { ...attempt, note: noted } })
      if (outcome !== 'again') return outcome
      note.isMoving = false
    } catch (error) {
      if (!(error instanceof FileSystemError) || error.code !== 'unavailable') throw error
    }
  }
  return 'away'
}

const refusal = (status: number, code: string): Answer => ({ status, text: toErrorXml(code, 'not now') })
const faults: Readonly<Record<string, S3Fault>> = {
  'cut on its way': 'before',
  'done, and its reply lost': 'after',
  'done, and its reply cut': 'half',
  500: refusal(500, 'InternalError'),
  '503 SlowDown': refusal(503, 'SlowDown'),
  '502 of a proxy': { status: 502, text: '<html><body>Bad Gateway</body></html>' },
  '409 ConditionalRequestConflict': refusal(409, 'ConditionalRequestConflict'),
  '412, and nothing is there': refusal(412, 'PreconditionFailed'),
  '200 with an error in it': { status: 200, text: toErrorXml('InternalError', 'late') },
  '403 ExpiredToken': refusal(403, 'ExpiredToken'),
}

/** Requests of a commit without a fault, in their order. */
const trace = async (length: number): Promise<number> => {
  await start()
  expect(await commit(await open('trace'), contentOf(length), { isMoving: false })).toBe('done')
  const { length: requests } = fake.requests
  await fake.close()
  return requests
}

describe.for(Object.entries(sizes))('a file by %s', ([, length]) => {
  const bytes = contentOf(length)
  const expectOnce = async (): Promise<void> => {
    expect(fake.stored.keys()).toEqual(['lake/e/f'])
    expect(Buffer.compare(fake.stored.objects.get('lake/e/f')?.bytes ?? Buffer.alloc(0), bytes)).toBe(0)
    await expect.poll(() => fake.stored.uploads.size).toBe(0)
  }

  test.for(Object.entries(faults))('%s, at each step, once and for a while', async ([, fault]) => {
    const steps = await trace(length)
    expect(steps).toBeGreaterThan(7)
    for (let step = 0; step < steps; step++) {
      for (const times of [1, 7]) {
        await start()
        const fs = await open('one')
        let asked = 0
        fake.fault = () => (asked++ >= step && asked <= step + times ? fault : undefined)
        // Written files are looked for by name: an object of the probe whose removal failed remains beside it.
        const outcome = await commit(fs, bytes, { isMoving: false }, 12)
        expect(['done', outcome], `step ${step}, ${times} times`).toContain(outcome)
        expect(Buffer.compare(fake.stored.objects.get('lake/e/f')?.bytes ?? Buffer.alloc(0), bytes)).toBe(0)
        await expect.poll(() => [...fake.stored.uploads.values()].filter(({ key }) => key === 'lake/e/f')).toEqual([])
        await fs.close()
        await fake.close()
      }
    }
    await start()
  })

  test('kill -9 after each step, with the request done or not: another process goes on', async () => {
    const steps = await trace(length)
    for (let step = 0; step < steps; step++) {
      for (const last of ['before', 'after'] as const) {
        await start()
        let asked = 0
        // From then on nothing of the first one arrives.
        fake.fault = request => {
          if (!isOf('first', request)) return undefined
          asked++
          return asked <= step ? undefined : asked === step + 1 ? last : 'before'
        }
        const note = { isMoving: false }
        await commit(await open('first', { maxRetries: 0 }), bytes, note, 1)
        expect(await commit(await open('second'), bytes, note), `step ${step}, ${last}`).toBe('done')
        expect(Buffer.compare(fake.stored.objects.get('lake/e/f')?.bytes ?? Buffer.alloc(0), bytes)).toBe(0)
        const left = [...fake.stored.uploads.values()].filter(({ key }) => key === 'lake/e/f')
        expect(left, `step ${step}, ${last}`).toEqual([])
        for (const fs of opened.splice(0)) await fs.close()
        await fake.close()
      }
    }
    await start()
  })

  test('another file has its name: it stays as it is', async () => {
    await start()
    for (const other of [contentOf(length).fill('x'), contentOf(length - 1)]) {
      fake.stored.put('lake/e/f', other)
      const note = { isMoving: false }
      const fs = await open('one')
      expect(await commit(fs, bytes, note)).toBe('foreign')
      expect([note.isMoving, fake.stored.uploads.size]).toEqual([true, 0])
      // What a process that was killed has left of this file is given up; that of another one is not.
      if (length > partBytes) fake.stored.begin('lake/e/f')
      const another = fake.stored.begin('lake/e/f2')
      expect(await commit(fs, bytes, note)).toBe('foreign')
      expect([...fake.stored.uploads.keys()]).toEqual([another])
      fake.stored.uploads.delete(another)
      expect(fake.stored.objects.get('lake/e/f')?.bytes.equals(other)).toBe(true)
    }
    expect(fake.stored.uploads.size).toBe(0)
  })

  test('it is in its place already, with a checksum that the store keeps or not: it is read then', async () => {
    for (const keepsNoSums of [false, true]) {
      await start({ keepsNoSums })
      fake.stored.put('lake/e/f', bytes)
      expect(await commit(await open('one'), bytes, { isMoving: true })).toBe('done')
      expect(fake.requests.some(request => request.startsWith('GET lake/e/f'))).toBe(keepsNoSums)
      await expectOnce()
      fake.stored.put('lake/e/f', contentOf(length).fill('x'))
      expect(await commit(await open('one'), bytes, { isMoving: true })).toBe('foreign')
      await fake.close()
    }
    await start()
  })

  test('a store that does not look at the condition gets no file', async () => {
    await start({ ignoresCondition: true })
    const fs = await open('one')
    expect(await commit(fs, bytes, { isMoving: false })).toBe('away')
    for (const directory of ['/', '/e', '/e/f']) {
      const checking = fs.checkPublish?.(directory) ?? Promise.resolve()
      await expectCode(checking, 'unsupported')
      await expect(checking).rejects.toMatchObject({ path: directory })
    }
    await expect(fs.checkPublish?.('/e')).rejects.toThrow(
      /s3:\/\/bucket\/lake does not honour If-None-Match, .*use a store that does/,
    )
    expect([fake.stored.keys(), fake.stored.uploads.size]).toEqual([[], 0])
  })

  test('a note that fails: its error, and nothing takes effect', async () => {
    await start()
    const full = new Error('the disk is full')
    const attempt = { temporary: '/e/_tmp/t', length, crc: crc32(bytes), note: () => Promise.reject(full) }
    const publishing = (await open('one')).publish(path, chunksOf(bytes), { attempt })
    await expect(publishing).rejects.toBe(full)
    expect(fake.stored.keys()).toEqual([])
    await expect.poll(() => fake.stored.uploads.size).toBe(0)
  })

  test('an attempt is noted when all of it was sent, and before it can take effect', async () => {
    await start()
    const seen: unknown[] = []
    const note = async (): Promise<void> => {
      const sent = [...fake.stored.uploads.values()].flatMap(({ parts }) =>
        [...parts.values()].map(part => part.bytes.length),
      )
      seen.push(sent, fake.stored.keys())
    }
    const attempt = { temporary: '/e/_tmp/t', length, crc: crc32(bytes), note }
    await (await open('one')).publish(path, chunksOf(bytes), { attempt })
    expect(seen).toEqual([length > partBytes ? [1_000, 1_000, 1_000, 500] : [], []])
    await expectOnce()
  })

  test('bytes that the store got wrong are no file', async () => {
    await start()
    const wrong = { 'x-amz-checksum-crc32': 'AAAAAA==', etag: '"1"' }
    const fs = await open('one')
    await fs.checkPublish?.('/e')
    fake.fault = ({ method }) => (method === 'PUT' ? { status: 200, headers: wrong } : undefined)
    await expect(fs.publish(path, chunksOf(bytes))).rejects.toThrow(/the store has other bytes than were sent/)
    await expect.poll(() => fake.stored.uploads.size).toBe(0)
  })
})

test.for([
  ['its length and its checksum', { length: 4, crc: 0 }, 'done'],
  ['its length, where no checksum is known', { length: 4 }, 'done'],
  ['another length, and the same checksum', { length: 0, crc: 0 }, 'foreign'],
  ['another length, where no checksum is known', { length: 5 }, 'foreign'],
  ['its length, and another checksum', { length: 4, crc: 1 }, 'foreign'],
] as const)('what is there has %s', async ([, sent, want]) => {
  for (const keepsNoSums of [false, true]) {
    if (keepsNoSums) await fake.close()
    await start({ keepsNoSums })
    const bytes = Buffer.from([0x9d, 0x0a, 0xd9, 0x6d])
    expect(crc32(bytes)).toBe(0)
    fake.stored.put('lake/e/f', bytes)
    expect(await (await open('one')).settle(path, { temporary: '/e/_tmp/t', ...sent })).toEqual({ outcome: want })
  }
})

test('a checksum of the checksums of parts says nothing of the bytes: these are read', async () => {
  await start()
  const bytes = contentOf(4)
  fake.stored.put('lake/e/f', bytes)
  const headers = { etag: '"e"', 'content-length': '4', 'x-amz-checksum-crc32': 'AAAAAA==' }
  fake.fault = ({ method }) =>
    method === 'HEAD' ? { status: 200, headers: { ...headers, 'x-amz-checksum-type': 'COMPOSITE' } } : undefined
  const attempt = { temporary: '/e/_tmp/t', length: 4, crc: crc32(bytes) }
  expect(await (await open('one')).settle(path, attempt)).toEqual({ outcome: 'done' })
})
