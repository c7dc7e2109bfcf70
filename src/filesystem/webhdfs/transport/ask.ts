import type { Dispatcher } from 'undici'
import Agent from 'undici/lib/dispatcher/agent.js'
import { Inflow } from '../../../bytes/inflow.ts'
import { toTraceHeaders } from '../../../tracing/current-trace.ts'
import type { Asked, Reply } from './answer.ts'
import { maxHeadBytes } from './answer-head.ts'

/** What a node, or a store, is asked. */
export type Question = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent once, and not changed until there is an answer. @default nothing */
  readonly body?: Uint8Array | undefined
}

/** Asks. Redirects are not followed. */
export type Ask = (url: URL, question: Question) => Asked

/** Connections are kept for some seconds, and shared by all who ask here. */
export const createAsk = (): { readonly ask: Ask; close(): Promise<void> } => {
  // Time-outs are the caller's.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: maxHeadBytes })
  const ask: Ask = ({ origin, pathname, search }, { method, headers = {}, body = null }) => {
    const { promise: answer, resolve, reject } = Promise.withResolvers<Reply>()
    let controller: { abort(error: Error): void } | undefined
    let stopped: Error | undefined
    let inflow: Inflow | undefined
    const stop = (error: Error): void => {
      stopped ??= error
      controller?.abort(error)
      // While it still connects nothing else would report it.
      reject(error)
    }
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: started => {
        controller = started
        if (stopped) started.abort(stopped)
      },
      onResponseStart: (started, status, head) => {
        if (status < 200) return
        const pause = (): void => started.pause()
        const resume = (): void => started.resume()
        inflow = new Inflow({ pause, resume, cancel: () => stop(new Error('not wanted')) })
        resolve({ status, headers: toTexts(head), body: inflow })
      },
      onResponseData: (_, bytes) => inflow?.push(bytes),
      onResponseEnd: () => inflow?.end(),
      onResponseError: (_, error) => {
        inflow?.fail(error)
        reject(error)
      },
    }
    const all = { ...headers, ...toTraceHeaders() }
    agent.dispatch({ origin, path: `${pathname}${search}`, method, headers: all, body }, handler)
    return { answer, stop }
  }
  return { ask, close: () => agent.destroy() }
}

/** Of several of one name the last one. */
const toTexts = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      typeof value === 'object' ? (value.at(-1) ?? '') : value,
    ]),
  )
