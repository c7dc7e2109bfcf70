import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import { createWriter } from '../../../src/disk/writer.ts'
import type { WriterData } from '../../../src/disk/writer-calls.ts'
import { createSpool } from '../../../src/spool/create-spool.ts'
import { poolSealings } from '../../../src/spool/seal/pool.ts'
import { createSealer, type Sealer } from '../../../src/spool/seal/sealer.ts'
import type { Spool } from '../../../src/spool/spool.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { jsonBatch, readEvents, silent, startMs, testSettings } from '../../suites/spool.ts'

const toModule = (name: string): URL => new URL(`../../../src/${name}.ts`, import.meta.url)

let directory = ''
const open: Spool[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-threads-'))
})
afterEach(async () => {
  for (const spool of open.splice(0)) await spool.close()
  await rm(directory, { recursive: true, force: true })
})

/** A spool as the server runs it, whose threads the test can end. */
const start = async (fileSystem = createMemoryFileSystem(), sealers = 1) => {
  const clock = { ms: startMs }
  const threads: { writer: Worker[]; sealer: Worker[] } = { writer: [], sealer: [] }
  const ends: string[] = []
  const hooks: { onSeal: (() => void) | undefined; isHeld: boolean } = { onSeal: undefined, isHeld: false }
  const note = (worker: Worker, kind: keyof typeof threads): Worker => {
    threads[kind].push(worker)
    return worker
  }
  const onEnd = ({ message }: Error): void => void ends.push(message)
  const writer = createWriter({
    onEnd,
    start: (workerData: WriterData) =>
      note(new Worker(toModule('disk/writer-thread'), { workerData, transferList: [workerData.port] }), 'writer'),
  })
  const opened: Sealer[] = []
  const sealing = poolSealings(sealers, () => {
    const sealer = createSealer({
      directory,
      onEnd,
      start: workerData => note(new Worker(toModule('spool/seal/seal-thread'), { workerData }), 'sealer'),
    })
    opened.push(sealer)
    return sealer
  })
  const closeAll = async (): Promise<void> =>
    void (await Promise.all([writer.close(), ...opened.map(sealer => sealer.close())]))
  let beat: () => Promise<void> = async () => {}
  const disk = createNodeDisk({
    directory,
    createFile: path => writer.create(path),
    onClose: closeAll,
  })
  const spool = await createSpool({
    disk,
    fileSystem,
    sealing: {
      ...sealing,
      seal: async request => {
        if (hooks.isHeld) throw Object.assign(new Error('EIO: held'), { code: 'EIO' })
        const result = sealing.seal(request)
        hooks.onSeal?.()
        return await result
      },
    },
    settings: () => testSettings,
    log: silent,
    now: () => clock.ms,
    heartbeat: body => {
      beat = body
      return () => {}
    },
  })
  open.push(spool)
  const carry = async (): Promise<void> => {
    clock.ms += 30_000
    await beat()
    await beat()
  }
  return { spool, kill: closeAll, threads, ends, hooks, fileSystem, clock, beat: () => beat(), carry }
}

const append = ({ spool }: { readonly spool: Spool }, n: number): Promise<'kept' | 'refused'> =>
  spool.append(jsonBatch([{ n }])).then(
    () => 'kept' as const,
    () => 'refused' as const,
  )
const numbers = async (fileSystem: Parameters<typeof readEvents>[0]): Promise<number[]> =>
  (await readEvents(fileSystem)).map(({ payload }) => Number(payload['n'])).sort((a, b) => a - b)

describe('R21: the sealing thread ends', () => {
  test('while it is idle: the next segment is sealed by another one', async () => {
    const server = await start()
    await append(server, 1)
    await server.carry()
    await server.threads.sealer[0]?.terminate()
    expect(server.ends).toEqual(['The sealing thread ended with code 1'])
    // It is ready, because the one before it had worked.
    expect(server.threads.sealer).toHaveLength(2)
    await append(server, 2)
    await server.carry()
    expect(await numbers(server.fileSystem)).toEqual([1, 2])
  })

  test('while it is idle, and before it has done anything: it is started when it is needed', async () => {
    const ends: string[] = []
    const threads: Worker[] = []
    const sealer = createSealer({
      directory,
      onEnd: ({ message }) => void ends.push(message),
      start: () => {
        const worker = new Worker('throw new Error("cannot start")', { eval: true })
        threads.push(worker)
        return worker
      },
    })
    await expect(sealer.forget('A')).rejects.toThrow('The sealing thread ended: cannot start')
    await expect(sealer.forget('A')).rejects.toThrow('cannot start')
    expect([threads.length, ends.length]).toEqual([2, 2])
    await sealer.close()
    await expect(sealer.forget('A')).rejects.toThrow('closed')
  })

  test('while it seals: the segment is sealed again, once', async () => {
    const server = await start()
    await append(server, 1)
    await server.carry()
    await append(server, 2)
    server.clock.ms += 30_000
    server.hooks.onSeal = () => void server.threads.sealer[0]?.terminate()
    const sealing = server.beat()
    await sealing
    server.hooks.onSeal = undefined
    expect(server.ends).toHaveLength(1)
    expect(server.spool.stats().stages.sealing.events).toBe(1)
    await server.carry()
    await server.carry()
    expect(await numbers(server.fileSystem)).toEqual([1, 2])
    expect(server.spool.stats().quarantinedFiles).toBe(0)
  })

  test('one of several, repeatedly: its segment is sealed again, and the others continue', async () => {
    const server = await start(createMemoryFileSystem(), 3)
    server.hooks.isHeld = true
    const kept = Array.from({ length: 24 }, (_, n) => n)
    for (const n of kept) {
      await append(server, n)
      await server.spool.processLeftBelowFiles()
    }
    expect(server.threads.sealer).toEqual([])
    server.hooks.isHeld = false
    let asked = 0
    server.hooks.onSeal = () => {
      // The one that was asked, or one beside it; every third time, so that no segment is sealed in vain five times.
      if (asked++ % 3 < 2) return
      const alive = server.threads.sealer.filter(({ threadId }) => threadId !== -1)
      void alive[asked % alive.length]?.terminate()
    }
    for (let pass = 0; pass < 60 && server.spool.stats().stages.sealing.events > 0; pass++) await server.carry()
    await server.carry()
    expect(server.ends.length).toBeGreaterThan(4)
    expect(await numbers(server.fileSystem)).toEqual(kept)
    expect(server.spool.stats().quarantinedFiles).toBe(0)
  })

  test('one segment starts one of several', async () => {
    const server = await start(createMemoryFileSystem(), 3)
    for (const n of [1, 2, 3]) {
      await append(server, n)
      await server.carry()
    }
    expect(server.threads.sealer).toHaveLength(1)
    expect(await numbers(server.fileSystem)).toEqual([1, 2, 3])
  })
})

describe('R21: the writer thread ends', () => {
  test('while it is idle: the next events are kept by another one, and the ledger follows', async () => {
    const server = await start()
    expect(await append(server, 1)).toBe('kept')
    await server.threads.writer[0]?.terminate()
    expect(server.ends).toEqual([expect.stringContaining('writer thread ended with code')])
    expect(await append(server, 2)).toBe('refused')
    await server.beat()
    expect(await append(server, 3)).toBe('kept')
    await server.carry()
    expect(await numbers(server.fileSystem)).toEqual([1, 3])
    expect(server.threads.writer).toHaveLength(2)
  })

  test.each([0, 1, 2, 4, 7, 12])(
    'R5: after %i turns with groups in flight: what was acknowledged is there once, what was refused never is',
    async turns => {
      const server = await start()
      const answers = new Map<number, Promise<'kept' | 'refused'>>()
      let n = 0
      for (let round = 0; round < 4; round++) {
        for (let turn = 0; turn < turns; turn++) {
          for (let i = 0; i < 20; i++) answers.set(n, append(server, n++))
          await new Promise(setImmediate)
        }
        answers.set(n, append(server, n++))
        await server.threads.writer.at(-1)?.terminate()
        await Promise.all(answers.values())
        await server.beat()
      }
      expect(await append(server, n)).toBe('kept')
      const kept = [n]
      for (const [event, answer] of answers) if ((await answer) === 'kept') kept.push(event)
      expect(server.spool.stats().unknownEvents).toBe(0)
      // Another process takes over what is on the disk.
      open.length = 0
      await server.kill()
      const next = await start(server.fileSystem)
      for (let pass = 0; pass < 6; pass++) await next.carry()
      expect(await numbers(next.fileSystem)).toEqual(kept.sort((a, b) => a - b))
    },
  )
})
