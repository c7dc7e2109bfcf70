import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { lutimesSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { type MessagePort, Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { afterThreads } from '../../../src/edges/after-threads.ts'
import type { EdgeStart } from '../../../src/edges/edge-wire.ts'
import { toTransferred } from '../../../src/edges/edge-worker.ts'
import type { EdgeOptions } from '../../../src/http/edge/node.ts'
import { type Certificate, openCertificate } from '../../../src/http/edge/tls.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { makeCertificate } from '../../bench/certificate.ts'
import { openThreaded } from '../../suites/edge-ways.ts'
import { createTestCollector } from '../collector/fakes.ts'
import { createRawClient, type RawClient } from '../http/raw-client.ts'

const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

const module = new URL('../../../src/edges/edge-thread.ts', import.meta.url)

type More = Parameters<typeof openThreaded>[2]

/** Threads that a test can end, and a server behind them. */
const start = async (count: number, options: Partial<EdgeOptions> = {}, more: More = {}) => {
  const workers: Worker[] = []
  /** What each of them says first; listened to from its start on. */
  const said: Promise<unknown>[] = []
  const startThread = (workerData: EdgeStart): Worker => {
    const worker = new Worker(module, { workerData, transferList: toTransferred(workerData) })
    workers.push(worker)
    said.push(new Promise(resolve => void worker.once('message', resolve)))
    return worker
  }
  const opened = await openThreaded(
    count,
    {
      name: 'server',
      host: '127.0.0.1',
      port: 0,
      fetch: () => new Response('fine'),
      logger: silentLogger,
      ...options,
      limits: { idleGraceMs: 10, ...options.limits },
    },
    { startThread, ...more },
  )
  const clients: RawClient[] = []
  onTestFinished(async () => {
    for (const { socket } of clients) socket.destroy()
    await opened.edge.close()
  })
  const open = async (): Promise<RawClient> => {
    const client = await createRawClient(opened.edge.port)
    clients.push(client)
    return client
  }
  return { ...opened, workers, said, open }
}

const answered = async (client: RawClient): Promise<void> => {
  client.send(get)
  await client.until(/fine/)
}

describe('R21: an edge thread ends', () => {
  test('its clients see the end of their connections, those of others continue, and another thread takes its place', async () => {
    const error = vi.fn()
    const { workers, said, open, threads, budget } = await start(2, { logger: { ...silentLogger, error } })
    const clients = await Promise.all(Array.from({ length: 40 }, open))
    await Promise.all(clients.map(answered))
    expect(budget.listener('server', 100).take()).toBe(true)
    await workers[0]?.terminate()
    // Their ends come one by one: a client without an answer has to be at its own.
    const toFate = async (client: RawClient) =>
      await answered(client).then(
        () => 'answered',
        () => 'ended',
      )
    expect(new Set(await Promise.all(clients.map(toFate)))).toEqual(new Set(['answered', 'ended']))
    await expect.poll(() => workers).toHaveLength(3)
    await expect.poll(() => threads.figures.living).toBe(2)
    expect(error).toHaveBeenCalledWith(
      expect.objectContaining({ thread: 1 }),
      expect.stringMatching(/^an edge thread ended/),
    )
    expect(await said[2]).toEqual({ kind: 'listening' })
    await Promise.all(Array.from({ length: 20 }, async () => await answered(await open())))
  })

  test('what it had open is not counted any more', async () => {
    const { workers, said, open, threads } = await start(1, { limits: { maxConnections: 3 } })
    for (let round = 0; round < 3; round++) {
      const clients = await Promise.all([open(), open(), open()])
      await Promise.all(clients.map(answered))
      const extra = await open()
      expect(await extra.rest()).toBe('')
      await workers.at(-1)?.terminate()
      await expect.poll(() => threads.figures.living).toBe(1)
      await expect.poll(() => workers).toHaveLength(round + 2)
      await said.at(-1)
    }
  })

  test('one that hangs is ended, and another one takes its place, also while nothing changes', async () => {
    const { threads, hang, edge } = await startHanging()
    hang()
    await expect
      .poll(() => threads.figures)
      .toEqual({
        configured: 2,
        living: 2,
        ended: 1,
        lastEnd: 'it took no turn for 1000 ms',
        isReplacing: true,
      })
    for (let i = 0; i < 10; i++) expect(await (await fetch(edge.url)).text()).toBe('fine')
  })

  test('one that cannot start is started again until it can', async () => {
    const failures: string[] = []
    const workers: Worker[] = []
    const startThread = (workerData: EdgeStart): Worker => {
      const failure = failures.shift()
      if (failure === 'there is no room for a thread') throw new Error(failure)
      const worker = failure ? new Worker('process.exit(3)', { eval: true }) : new Worker(module, { workerData })
      workers.push(worker)
      return worker
    }
    const { edge, threads } = await start(1, {}, { startThread })
    failures.push('it ends', 'there is no room for a thread')
    await workers[0]?.terminate()
    await expect.poll(() => workers).toHaveLength(3)
    expect(threads.figures).toMatchObject({ ended: 3, lastEnd: 'there is no room for a thread' })
    const answer = (): Promise<number> =>
      fetch(edge.url)
        .then(({ status }) => status)
        .catch(() => 0)
    await expect.poll(answer).toBe(200)
  })
})

/** Two threads, the first of which hangs on request. */
const startHanging = async (maxSilenceMs = 1_000) => {
  const hanging = `
    const { parentPort } = require('node:worker_threads')
    parentPort.on('message', ({ hangs }) => { while (hangs); })
    import(${JSON.stringify(module.href)})`
  const workers: Worker[] = []
  const startThread = (workerData: EdgeStart): Worker => {
    const worker = new Worker(hanging, { eval: true, workerData })
    workers.push(worker)
    return worker
  }
  const started = await start(2, {}, { startThread, maxSilenceMs })
  return {
    ...started,
    workers,
    hang: () => workers[0]?.postMessage({ kind: 'state', number: 0, changes: {}, hangs: true }),
  }
}

describe('R21: a thread that ends while the files of the server are others', () => {
  test('is not replaced, the others continue, and the last one ends the server', async () => {
    const error = vi.fn()
    const onLost = vi.fn()
    let isSame = true
    const logger = { ...silentLogger, error }
    const { threads, workers, open } = await start(2, { logger }, { watchCode: () => async () => isSame, onLost })
    isSame = false
    await workers[0]?.terminate()
    await expect.poll(() => threads.figures).toMatchObject({ living: 1, ended: 1, isReplacing: false })
    for (let i = 0; i < 10; i++) await answered(await open())
    expect(onLost).not.toHaveBeenCalled()
    // Whatever has become of them since: what a thread would load now is unknown.
    isSame = true
    await workers[1]?.terminate()
    await expect.poll(() => onLost.mock.calls).toHaveLength(1)
    expect(workers).toHaveLength(2)
    expect(error.mock.calls).toEqual([
      [{ thread: 1, reason: expect.any(String) }, expect.stringMatching(/is not replaced: the files of the server/)],
      [{ thread: 2, reason: expect.any(String) }, expect.stringMatching(/restart the server$/)],
    ])
  })

  test('nor does one stay that was loading meanwhile', async () => {
    let looks = 0
    const onLost = vi.fn()
    const { threads, workers } = await start(1, {}, { watchCode: () => async () => looks++ === 0, onLost })
    await workers[0]?.terminate()
    await expect.poll(() => onLost.mock.calls).toHaveLength(1)
    expect(workers).toHaveLength(2)
    expect(threads.figures).toEqual({
      configured: 1,
      living: 0,
      ended: 2,
      lastEnd: 'the files of the server have changed since it started',
      isReplacing: false,
    })
  })
})

describe('state', () => {
  test('is in force when all threads have said so, also in one that is started meanwhile', async () => {
    const [one, two] = [await certificate(), await certificate()]
    const { threads, workers, said, edge } = await start(3, { tls: one })
    expect(await fingerprintAt(edge.port)).toBe(fingerprint(one))
    threads.set({ certificate: two.current() })
    await threads.inForce()
    for (let i = 0; i < 20; i++) expect(await fingerprintAt(edge.port)).toBe(fingerprint(two))
    for (const worker of workers.splice(0)) await worker.terminate()
    await expect.poll(() => workers).toHaveLength(3)
    await Promise.all(said.slice(3))
    expect(await fingerprintAt(edge.port)).toBe(fingerprint(two))
    await threads.inForce()
  })

  test('is not waited for in a thread that takes no turn: it is ended, and another one takes its place', async () => {
    const { threads, hang } = await startHanging()
    hang()
    threads.set({})
    await threads.inForce()
    expect(threads.figures.living).toBe(1)
    await expect.poll(() => threads.figures.living).toBe(2)
  })

  test('is not waited for while nothing has changed, whatever a thread that takes no turn is asked', async () => {
    const { threads, workers, hang } = await startHanging(10_000)
    hang()
    const asked = workers[0] && vi.spyOn(workers[0], 'postMessage')
    await expect.poll(() => asked?.mock.calls.length, { timeout: 5_000 }).toBeGreaterThan(0)
    await threads.inForce()
    expect(threads.figures).toMatchObject({ living: 2, ended: 0 })
    await workers[0]?.terminate()
  })

  test('is waited for in a thread that has said so while the main thread took no turn', async () => {
    const { threads, workers } = await start(2, {}, { maxSilenceMs: 2_000 })
    const ends = workers.map(worker => vi.spyOn(worker, 'terminate'))
    // From here on timers come first.
    await new Promise(resolve => setImmediate(resolve))
    threads.set({})
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100)
    await threads.inForce()
    for (const end of ends) expect(end).not.toHaveBeenCalled()
  })
})

test('a thread that ends is parted from the desk, and the one in its place is another one to it', async () => {
  const { rows, quotaMemory } = createTestCollector().collector
  const parted: number[] = []
  const connect = vi.fn((_: MessagePort, row: number) => ({
    start: { mark: new Uint8Array(16), ...rows, quotaMemory, row: 0, wantsTraces: false },
    disconnect: () => void parted.push(row),
  }))
  const { workers } = await start(2, {}, { desk: { connect } })
  expect(connect.mock.calls.map(([, row]) => row)).toEqual([1, 2])
  await workers[1]?.terminate()
  await expect.poll(() => workers).toHaveLength(3)
  expect(parted).toEqual([2])
  expect(connect.mock.calls.map(([, row]) => row)).toEqual([1, 2, 2])
})

test('an answer of the management waits until all that was set holds', async () => {
  const held = Promise.withResolvers<void>()
  const answer = new Response()
  let given: Response | undefined
  const asked = afterThreads(() => answer, { inForce: () => held.promise })().then(response => {
    given = response
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(given).toBeUndefined()
  held.resolve()
  await asked
  expect(given).toBe(answer)
})

describe('connections', () => {
  test('count over all threads', async () => {
    const { open, budget } = await start(3, { limits: { maxConnections: 10 } })
    const clients = await Promise.all(Array.from({ length: 60 }, open))
    await expect.poll(() => clients.filter(({ socket }) => socket.destroyed).length).toBe(50)
    // This thread's own are among them.
    expect(budget.listener('server', 10).take()).toBe(false)
  })

  test('that are handed on count three times among the descriptors that there are', async () => {
    const warn = vi.fn()
    const logger = { ...silentLogger, warn }
    // A quarter is for others; the other listeners have no connections.
    const { open } = await start(1, { logger }, { maxOpenFiles: 40 })
    const clients = await Promise.all(Array.from({ length: 20 }, open))
    const outcomes = await Promise.all(
      clients.map(client =>
        answered(client).then(
          () => true,
          () => false,
        ),
      ),
    )
    const taken = outcomes.filter(Boolean).length
    expect(taken).toBeGreaterThan(0)
    expect(3 * taken).toBeLessThanOrEqual(30)
    expect(warn).toHaveBeenCalled()
  })
})

describe('a tunnel', () => {
  test('takes no more of an upload than is read at its end', async () => {
    const read = Promise.withResolvers<void>()
    let length = 0
    const { open } = await start(1, {
      fetch: async request => {
        await read.promise
        for await (const chunk of request.body ?? []) length += chunk.length
        return new Response('fine')
      },
    })
    const client = await open()
    const { socket } = client
    const total = 64 * 2 ** 20
    socket.write(`PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${total}\r\n\r\n`)
    const piece = Buffer.alloc(2 ** 20)
    for (let i = 0; i < 64; i++) socket.write(piece)
    await untilStill(() => socket.bytesWritten - socket.writableLength)
    // What systems hold of a connection, and of a local one.
    expect(socket.writableLength).toBeGreaterThan(total / 2)
    read.resolve()
    await client.until(/fine/)
    expect(length).toBe(total)
  })

  test('takes no more of an answer than its client reads', async () => {
    let given = 0
    const piece = new Uint8Array(65_536)
    const body = new ReadableStream<Uint8Array>({
      pull: controller => {
        given += piece.length
        if (given > 64 * 2 ** 20) controller.close()
        else controller.enqueue(piece)
      },
    })
    const { open } = await start(1, { fetch: () => new Response(body) })
    const client = await open()
    client.socket.pause()
    client.send(get)
    await untilStill(() => given)
    expect(given).toBeLessThan(32 * 2 ** 20)
    client.socket.resume()
    await expect.poll(() => client.socket.bytesRead).toBeGreaterThan(64 * 2 ** 20)
  })

  test('ends for a client that does not end its side', async () => {
    const { edge, open } = await start(1, { limits: { maxConnections: 1, lingerMs: 20 } })
    const socket = connect({ port: edge.port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await once(socket.resume(), 'end')
    const isAnswered = async (): Promise<boolean> =>
      answered(await open()).then(
        () => true,
        () => false,
      )
    await expect.poll(isAnswered).toBe(true)
  })

  test('ends for a client that reads nothing, but not for one that waits', async () => {
    const limits = { maxConnections: 2, inactivityTimeoutMs: 60 }
    const asked = Promise.withResolvers<void>()
    const slow = Promise.withResolvers<Response>()
    const { open, budget } = await start(1, {
      limits,
      fetch: request => {
        if (!request.url.endsWith('/slow')) return new Response(new Uint8Array(16 * 2 ** 20))
        asked.resolve()
        return slow.promise
      },
    })
    const waiting = await open()
    waiting.send('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await asked.promise
    const { socket } = await open()
    socket.pause()
    socket.write(get)
    const hasRoom = (): boolean => {
      const count = budget.listener('server', limits.maxConnections)
      const isTaken = count.take()
      if (isTaken) count.give()
      return isTaken
    }
    await expect.poll(hasRoom).toBe(false)
    await expect.poll(hasRoom).toBe(true)
    slow.resolve(new Response('fine'))
    await waiting.until(/fine/)
  })

  test('passes on that the server has hung up on a body', async () => {
    const { open } = await start(1, {
      fetch: (_, { outgoing }) => {
        outgoing.socket?.destroy()
        return new Response()
      },
    })
    const client = await open()
    client.send(`PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n${'x'.repeat(2 ** 20)}`)
    expect(await client.rest()).toBe('')
  })

  test('ends an answer that breaks so that its client sees it', async () => {
    const { open } = await start(1, {
      fetch: () =>
        new Response(
          new ReadableStream({
            start: controller => controller.enqueue(Buffer.from('half')),
            pull: () => Promise.reject(new Error('broken')),
          }),
          { headers: { 'content-length': '8' } },
        ),
    })
    const client = await open()
    client.send(get)
    expect(await client.rest()).toMatch(/half$/)
  })

  describe('has a directory', () => {
    const temporary = (): string => {
      const directory = mkdtempSync(join(tmpdir(), 'sluice-tunnels-'))
      vi.stubEnv('TMPDIR', directory)
      onTestFinished(() => {
        vi.unstubAllEnvs()
        rmSync(directory, { recursive: true })
      })
      return directory
    }
    const makeOld = (path: string): void => utimesSync(path, 0, 0)

    test('that is open to this user alone, and leaves nothing behind', async () => {
      const directory = temporary()
      const { edge } = await start(1)
      expect(readdirSync(directory).map(name => statSync(join(directory, name)).mode & 0o777)).toEqual([0o700])
      await edge.close()
      expect(readdirSync(directory)).toEqual([])
    })

    test('and removes those of servers that were killed, and no others', async () => {
      const directory = temporary()
      const listening = await start(1)
      const [living = ''] = readdirSync(directory)
      makeOld(join(directory, living))
      const names = ['sluice-edges-dead', 'sluice-edges-young', 'other-dead']
      for (const name of names) {
        mkdirSync(join(directory, name))
        await leaveSocket(join(directory, name, '0'))
        if (!name.endsWith('young')) makeOld(join(directory, name))
      }
      const [empty, link] = [join(directory, 'sluice-edges-empty'), join(directory, 'sluice-edges-link')]
      mkdirSync(empty)
      makeOld(empty)
      symlinkSync(join(directory, 'other-dead'), link)
      lutimesSync(link, 0, 0)
      const { edge } = await start(1)
      const left = readdirSync(directory)
      expect(left).not.toContain('sluice-edges-dead')
      expect(left).toEqual(
        expect.arrayContaining([living, 'sluice-edges-young', 'other-dead', 'sluice-edges-empty', 'sluice-edges-link']),
      )
      await edge.close()
      await listening.edge.close()
    })

    test.each([
      ['that is not there', 'none'],
      ['with a path that is too long for a socket', 'long'.padEnd(120, '.')],
    ])('or says what to do about one %s', async (_, name) => {
      const directory = join(temporary(), name)
      vi.stubEnv('TMPDIR', directory)
      if (name !== 'none') mkdirSync(directory)
      await expect(start(1)).rejects.toThrow(
        /^The sockets between threads cannot be made: .*TMPDIR.*server\.threads=1\.$/,
      )
      if (name !== 'none') expect(readdirSync(directory)).toEqual([])
    })
  })
})

/** As a process leaves one that is killed. */
const leaveSocket = async (path: string): Promise<void> => {
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  await once(spawn(process.execPath, ['-e', script]), 'exit')
}

/** When a number has stopped growing. */
const untilStill = async (read: () => number): Promise<void> => {
  let last = -1
  await expect
    .poll(
      () => {
        const isStill = last === read()
        last = read()
        return isStill
      },
      { interval: 200 },
    )
    .toBe(true)
}

const certificate = async (): Promise<Certificate> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-certificate-'))
  const opened = await openCertificate(makeCertificate(directory), silentLogger)
  onTestFinished(() => {
    opened.close()
    rmSync(directory, { recursive: true })
  })
  return opened
}

const fingerprint = (certificate: Certificate): string => new X509Certificate(certificate.current().cert).fingerprint256

const fingerprintAt = async (port: number): Promise<string> => {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}
