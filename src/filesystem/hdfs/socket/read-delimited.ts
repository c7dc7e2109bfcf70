import type { ExactSocket } from './exact-socket.ts'

/** A length as a varint, and as many bytes. @throws Error more than `maxBytes`; the connection ended before */
export const readDelimited = async (socket: ExactSocket, maxBytes: number): Promise<Buffer> => {
  let length = 0
  for (let scale = 1; ; scale *= 128) {
    const [byte = 0] = await socket.read(1)
    length += (byte & 0x7f) * scale
    if (length > maxBytes || scale > 2 ** 28) throw new RangeError(`a message of more than ${maxBytes} bytes`)
    if (byte < 0x80) return await socket.read(length)
  }
}
