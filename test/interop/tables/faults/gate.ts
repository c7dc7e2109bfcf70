/** What is between a collector and its tables: the place where a step of a commit meets a fault. */

import { once } from 'node:events'
import { mkdirSync, watch } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type Meeting, startHdfsProxy } from '../../hdfs/proxy.ts'

/** What becomes of a step: as {@link Meeting} says; a status is an answer in place of it, `behind` after it was done. */
export type Answer = Meeting | { readonly status: number; readonly behind: boolean }

export type Gate = {
  /** For the collector: of the NameNode, or of the catalog. */
  readonly url: string
  /**
   * Has one step meet something.
   * @param steps how many steps pass before it
   * @returns whether it has come within {@link waitMs}
   */
  meet(steps: number, answer: () => Answer | Promise<Answer>): Promise<boolean>
  close(): Promise<void>
}

const waitMs = 4_000

/** The next thing that is met, taken at most once. */
const createArm = () => {
  let next: { steps: number; meet: () => Promise<Answer> } | undefined
  return {
    step: async (): Promise<Answer> => {
      if (next === undefined || next.steps-- > 0) return 'passes'
      const { meet } = next
      next = undefined
      return await meet()
    },
    meet: (steps: number, answer: () => Answer | Promise<Answer>): Promise<boolean> => {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => {
        next = undefined
        resolve(false)
      }, waitMs)
      next = {
        steps,
        meet: async () => {
          clearTimeout(timer)
          try {
            return await answer()
          } catch (error) {
            reject(error)
            return 'passes'
          } finally {
            resolve(true)
          }
        },
      }
      return promise
    },
  }
}

/** Calls of the NameNode that name the table. */
export const openHdfsGate = async (namenodeUrl: string, table: string): Promise<Gate> => {
  const proxy = await startHdfsProxy({ namenodeUrl, dataNodes: [] })
  const { step, meet } = createArm()
  proxy.meet = async ({ to, bytes }) => {
    if (to !== 'name node' || !bytes.includes(`${table}/`)) return 'passes'
    const answer = await step()
    return typeof answer === 'string' ? answer : 'cut behind'
  }
  return { url: proxy.namenodeUrl, meet, close: () => proxy.close() }
}

/**
 * Changes in the directory of the table, by any writer: only those that do not concern the change itself can be met.
 * @param recursive whether those below it are steps as well: then each change costs more the more files there are. @default true
 */
export const openLocalGate = async (directory: string, { recursive = true } = {}): Promise<Gate> => {
  mkdirSync(directory, { recursive: true })
  const { step, meet } = createArm()
  const watcher = watch(directory, { recursive }, () => void step())
  return { url: '', meet, close: async () => watcher.close() }
}

/** Requests to the catalog. */
export const openCatalogGate = async (catalogUrl: string): Promise<Gate> => {
  const { step, meet } = createArm()
  const carry = async (incoming: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const body = await buffer(incoming)
    const met = incoming.url?.includes('/tables') ? await step() : 'passes'
    const refuse = (status: number): void => {
      const error = { message: 'met a fault', type: 'FaultException', code: status }
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
    }
    if (met === 'cut before') return void incoming.socket.resetAndDestroy()
    if (typeof met === 'object' && !met.behind) return refuse(met.status)
    if (met === 'held') await once(incoming.socket, 'close')
    const { method, headers, url } = incoming
    const onward = request(new URL(url ?? '/', catalogUrl), { method, headers: { ...headers, connection: 'close' } })
    onward.end(body)
    const [response] = (await once(onward, 'response')) as [IncomingMessage]
    const bytes = await buffer(response)
    if (typeof met === 'object') return refuse(met.status)
    if (met === 'cut behind' || met === 'held') return void incoming.socket.resetAndDestroy()
    answer.writeHead(response.statusCode ?? 500, response.headers)
    if (met !== 'cut within') return void answer.end(bytes)
    answer.write(bytes.subarray(0, bytes.length >> 1), () => incoming.socket.resetAndDestroy())
  }
  const server = createServer((incoming, answer) => {
    // The catalog is away: so is its gate.
    carry(incoming, answer).catch(() => incoming.socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    meet,
    close: async () => {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}
