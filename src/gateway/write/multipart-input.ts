import { Buffer } from 'node:buffer'
import { SluiceError } from '../../errors.ts'
import { toBuffer } from '../../formats/to-buffer.ts'

/** A multipart body, read forward. All methods reject with `bad-request` when the body ends before they do. */
export type MultipartInput = {
  /** The text up to the next CRLF, which is taken too. */
  readLine(maxBytes: number): Promise<string>
  /** The bytes up to the next delimiter, which is taken too. */
  readPart(): AsyncGenerator<Uint8Array, void, undefined>
  skipPart(maxBytes: number, what: string): Promise<void>
  /** Reads on to the end of the body. */
  drain(maxBytes: number): Promise<void>
  /** Lets the body go. */
  close(): Promise<void>
}

/** Makes an input whose parts end with `delimiter`: CRLF, two dashes and the boundary. */
export const createMultipartInput = (body: AsyncIterable<Uint8Array>, delimiter: Buffer): MultipartInput => {
  const source = body[Symbol.asyncIterator]()
  // The first delimiter may be at the very start, as if a line had ended before.
  let buffer: Buffer = Buffer.from('\r\n')

  const more = async (): Promise<boolean> => {
    const next = await source.next()
    if (next.done) return false
    const chunk = toBuffer(next.value)
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk])
    return true
  }

  async function* readPart(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const at = buffer.indexOf(delimiter)
      // The end of the buffer may be the beginning of a delimiter.
      const safe = at < 0 ? Math.max(0, buffer.length - delimiter.length + 1) : at
      const ready = buffer.subarray(0, safe)
      buffer = buffer.subarray(at < 0 ? safe : at + delimiter.length)
      if (ready.length > 0) yield ready
      if (at >= 0) return
      if (!(await more())) throw cutShort()
    }
  }

  return {
    readLine: async maxBytes => {
      let from = 0
      for (;;) {
        const at = buffer.indexOf('\r\n', from)
        if (at > maxBytes || (at < 0 && buffer.length > maxBytes)) {
          throw new SluiceError('bad-request', `The form cannot be read: its headers exceed ${maxBytes} bytes`)
        }
        if (at >= 0) {
          const line = buffer.toString('utf8', 0, at)
          buffer = buffer.subarray(at + 2)
          return line
        }
        // The closing delimiter needs no line break after it.
        from = Math.max(0, buffer.length - 1)
        if (await more()) continue
        if (!buffer.toString('latin1', 0, 2).startsWith('--')) throw cutShort()
        buffer = Buffer.alloc(0)
        return '--'
      }
    },
    readPart,
    skipPart: async (maxBytes, what) => {
      let bytes = 0
      for await (const chunk of readPart()) {
        bytes += chunk.length
        if (bytes > maxBytes) {
          throw new SluiceError('bad-request', `The form cannot be read: a ${what} exceeds ${maxBytes} bytes`)
        }
      }
    },
    drain: async maxBytes => {
      let bytes = buffer.length
      buffer = Buffer.alloc(0)
      while (await more()) {
        bytes += buffer.length
        buffer = Buffer.alloc(0)
        if (bytes > maxBytes) {
          throw new SluiceError('bad-request', `The form cannot be read: more than ${maxBytes} bytes follow its end`)
        }
      }
    },
    close: async () => {
      await source.return?.()
    },
  }
}

const cutShort = (): SluiceError =>
  new SluiceError('bad-request', 'The form cannot be read: it ends before its closing boundary')
