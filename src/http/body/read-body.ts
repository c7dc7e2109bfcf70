import type { IncomingMessage } from 'node:http'
import { ByteStream } from '../../bytes/byte-stream.ts'
import { GrowingBytes } from '../../bytes/growing-bytes.ts'
import { Inflow } from '../../bytes/inflow.ts'
import { exclusive } from '../../bytes/slabs.ts'
import { SluiceError } from '../../errors.ts'
import type { OnBytes } from '../call/call.ts'
import type { BodyPace } from '../limits.ts'
import { BodyWatch } from './body-watch.ts'

const nothing = new Uint8Array(0)

/** The limits of reading a body: bytes as sent, and its pace. */
export type BodyLimits = BodyPace & {
  readonly maxBytes: number
  /** Of a longer body this many are read, and the rest stays unread. @default false, it is refused */
  readonly isBeginning?: boolean | undefined
}

/** Bytes that `Content-Length` announces; `undefined` for a chunked body, 0 without a body. */
export const toAnnouncedBytes = (incoming: IncomingMessage): number | undefined => {
  const { headers } = incoming
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Number(headers['content-length'] ?? 0)
}

/**
 * Reads a whole body from the socket's own stream. What is announced is checked before anything is read; memory grows
 * with what has arrived, never with what was announced.
 * @param onBytes as {@link Call.bytes} has it
 * @throws SluiceError `too-large`, `request-timeout`, or `bad-request` when the body is cut short
 */
export const readBody = async (
  incoming: IncomingMessage,
  limits: BodyLimits,
  onBytes?: OnBytes,
): Promise<Uint8Array> => {
  const { maxBytes, isBeginning } = limits
  const announced = toAnnouncedBytes(incoming)
  if (announced === 0) return nothing
  if (announced !== undefined && announced > maxBytes && !isBeginning) throw tooLarge(maxBytes, announced)
  if (incoming.readableDidRead) throw new TypeError('Cannot read a body twice')
  // The parser passes on a small body right after its headers: one turn later it is there, with nothing to wait for,
  // although the end of the message is only reported after that.
  await Promise.resolve()
  const { readableLength } = incoming
  const isWhole = incoming.complete || readableLength === announced
  const isThere = isWhole && !incoming.destroyed && readableLength <= maxBytes
  if (!isThere) return await collect(incoming, limits, announced, onBytes)
  await onBytes?.(readableLength)
  return (incoming.read() as Buffer | null) ?? nothing
}

/**
 * The body as a stream, for uploads. It fails when the body is cut short, and leaves the socket open when its reader
 * gives up, so that the client can still get the reason.
 */
export const streamBody = (incoming: IncomingMessage): ByteStream | null => {
  const announced = toAnnouncedBytes(incoming)
  if (announced === 0) return null
  let length = 0
  const stop = (): void => {
    incoming.off('data', onData).off('end', onEnd).off('close', onClose)
    incoming.pause()
  }
  const sender = { pause: () => void incoming.pause(), resume: () => void incoming.resume(), cancel: stop }
  const inflow = new Inflow(sender, { isPaused: true })
  const onData = (chunk: Buffer): void => {
    length += chunk.length
    // Of no reader but ours: `node:http` copies each piece out of what it read.
    inflow.push(exclusive(chunk))
  }
  const onEnd = (): void => {
    stop()
    inflow.end()
  }
  const onClose = (): void => {
    stop()
    inflow.fail(cutShort(length, announced))
  }
  incoming.on('data', onData).on('end', onEnd).on('close', onClose)
  incoming.pause()
  if (incoming.destroyed) onClose()
  return new ByteStream(inflow)
}

const collect = (
  incoming: IncomingMessage,
  limits: BodyLimits,
  announced: number | undefined,
  onBytes: OnBytes | undefined,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const { maxBytes, isBeginning } = limits
    // One chunk, as most bodies are, is not copied.
    let only: Buffer | undefined
    const body = new GrowingBytes(Math.min(announced ?? maxBytes, maxBytes))
    let length = 0
    const settle = (): void => {
      watch.stop()
      incoming.off('data', onData).off('end', onEnd).off('close', onClose)
    }
    const fail = (error: unknown): void => {
      settle()
      incoming.pause()
      reject(error)
    }
    const keep = (chunk: Buffer): void => {
      if (length === chunk.length) only = chunk
      else {
        if (only) body.append(only)
        only = undefined
        body.append(chunk)
      }
    }
    const resume = (): void => {
      // Its client may be gone.
      if (incoming.destroyed) return
      watch.start()
      incoming.resume()
    }
    /** The rest stays unread. */
    const end = (chunk: Buffer): void => {
      const over = length - maxBytes
      length = maxBytes
      keep(chunk.subarray(0, chunk.length - over))
      settle()
      incoming.pause()
      resolve(only ?? body.bytes())
    }
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      watch.arrived(chunk.length)
      try {
        if (length > maxBytes && !isBeginning) throw tooLarge(maxBytes, undefined)
        const room = onBytes?.(chunk.length)
        if (length > maxBytes) {
          end(chunk)
          return
        }
        keep(chunk)
        if (room === undefined) return
        watch.stop()
        incoming.pause()
        room.then(resume, fail)
      } catch (error) {
        fail(error)
      }
    }
    const onEnd = (): void => {
      settle()
      resolve(only ?? body.bytes())
    }
    const onClose = (): void => fail(cutShort(length, announced))
    const watch = new BodyWatch(limits, sentence => {
      fail(new SluiceError('request-timeout', `The body arrived too slowly: ${sentence} (${length} bytes did)`))
    })
    incoming.on('data', onData).on('end', onEnd).on('close', onClose)
    if (incoming.destroyed) onClose()
  })

/** The error of a body that is longer than it may be. */
export const tooLarge = (maxBytes: number, announced: number | undefined): SluiceError =>
  new SluiceError(
    'too-large',
    `The body may have ${maxBytes} bytes${announced === undefined ? '' : `, ${announced} were announced`}`,
  )

/** The error of a body that ends before its announced length. */
export const cutShort = (length: number, announced: number | undefined): SluiceError =>
  new SluiceError(
    'bad-request',
    `The body was cut short after ${length}${announced === undefined ? '' : ` of ${announced}`} bytes`,
  )
