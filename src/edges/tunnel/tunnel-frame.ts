import type { Socket } from 'node:net'

/**
 * What the main thread has to know of a connection that a thread has taken. It is the first thing in its tunnel: the
 * length in two bytes (little endian), JSON; the client's bytes follow.
 */
export type TunnelHead = {
  readonly remoteAddress: string | undefined
  readonly remoteFamily: string | undefined
  readonly remotePort: number | undefined
  readonly localAddress: string | undefined
  readonly localFamily: string | undefined
  readonly localPort: number | undefined
  /** Whether it arrived by TLS, which is already decrypted. */
  readonly encrypted: boolean
}

const lengthBytes = 2

/** The head of a connection. */
export const printTunnelHead = (socket: Socket): Buffer => {
  const { remoteAddress, remoteFamily, remotePort, localAddress, localFamily, localPort } = socket
  const addresses = { remoteAddress, remoteFamily, remotePort, localAddress, localFamily, localPort }
  const text = JSON.stringify({ ...addresses, encrypted: 'encrypted' in socket } satisfies TunnelHead)
  const bytes = Buffer.allocUnsafe(lengthBytes + text.length)
  bytes.writeUInt16LE(text.length)
  bytes.write(text, lengthBytes, 'latin1')
  return bytes
}

/**
 * The head that bytes begin with, and where it ends; undefined while it is incomplete.
 * @throws SyntaxError for other bytes
 */
export const parseTunnelHead = (bytes: Buffer): { readonly head: TunnelHead; readonly end: number } | undefined => {
  if (bytes.length < lengthBytes) return undefined
  const end = lengthBytes + bytes.readUInt16LE()
  if (bytes.length < end) return undefined
  const head: unknown = JSON.parse(bytes.toString('latin1', lengthBytes, end))
  if (!isTunnelHead(head))
    throw new SyntaxError('A tunnel begins with a head: a JSON object that says whether TLS was there')
  return { head, end }
}

/** Only threads of this process write one: what says the one thing that is always there is whole. */
const isTunnelHead = (value: unknown): value is TunnelHead =>
  typeof value === 'object' && value !== null && 'encrypted' in value && typeof value.encrypted === 'boolean'
