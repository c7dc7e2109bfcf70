import { Buffer } from 'node:buffer'

/** The same bytes as a Buffer: a view. */
export const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
