import { Buffer } from 'node:buffer'
import { SluiceError } from '../../errors.ts'
import type { BaseCall } from './base-call.ts'
import type { CheckedTicket, OnBytes } from './call.ts'

/** A call made of a `Request`: in tests, on Deno and on Bun. */
export const createWebCall = (request: Request, peer = '', ticket?: CheckedTicket): BaseCall => {
  const url = new URL(request.url)
  const call: BaseCall = {
    method: request.method,
    target: url.pathname + url.search,
    // Without a socket there may be no Host header; the URL then says what it would be.
    get headers() {
      return Object.fromEntries(request.headers)
    },
    header: name => request.headers.get(name) ?? (name === 'host' ? url.host : undefined),
    peer,
    ticket,
    secure: url.protocol === 'https:',
    get signal() {
      return request.signal
    },
    bytes: (maxBytes, onBytes, isBeginning) => readAll(request, maxBytes, onBytes, isBeginning),
    stream: () => request.body,
    withOperation: (operationId, params, caller) => Object.assign(call, { operationId, params, caller }),
  }
  return call
}

const readAll = async (
  request: Request,
  maxBytes: number,
  onBytes?: OnBytes,
  isBeginning = false,
): Promise<Uint8Array> => {
  const tooLarge = (): SluiceError => new SluiceError('too-large', `The body may have ${maxBytes} bytes`)
  if (!isBeginning && Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge()
  if (request.body === null) return new Uint8Array(0)
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.body) {
      length += chunk.length
      if (length > maxBytes && !isBeginning) throw tooLarge()
      await onBytes?.(chunk.length)
      chunks.push(chunk)
      if (length > maxBytes) return Buffer.concat(chunks).subarray(0, maxBytes)
    }
  } catch (error) {
    if (error instanceof SluiceError) throw error
    throw new SluiceError('bad-request', `The body was cut short after ${length} bytes`, { cause: error })
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}
