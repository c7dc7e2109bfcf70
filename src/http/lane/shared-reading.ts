// node-only: reads the sockets of Node's server
import { Socket } from 'node:net'

/** A read brings no more. */
const readBytes = 64 * 1024

/** What was read is kept side by side in memories of this size. */
const slabBytes = 2 * readBytes

/** Reads connections through one memory of them all. */
export type SharedReading = {
  /**
   * From now on what the connection sends goes to `onBytes`, in bytes that stay as they are and hold on to a slab of
   * many reads. While the connection is paused, or has bytes that were put back, it takes the usual path, after those;
   * so it does where a socket cannot be read like this.
   */
  begin(socket: Socket, onBytes: (bytes: Buffer) => void): void
  /** From now on all of it goes the usual way. */
  end(socket: Socket): void
}

/**
 * For each read of a connection Node takes 64 KiB, shrinks them to what has arrived and wraps them up: that costs more than to parse
 * a small request, and leaves garbage outside of the heap. Its way around that, the option `onread`
 * (https://nodejs.org/api/net.html#new-netsocketoptions), is not for the sockets that a server accepts; so it is set after
 * they were made, in the places where Node keeps it.
 */
export const createSharedReading = (): SharedReading => {
  const memory = Buffer.allocUnsafeSlow(readBytes)
  const places = findPlaces()
  let slab = Buffer.allocUnsafeSlow(slabBytes)
  let used = 0
  const keep = (length: number): Buffer => {
    if (used + length > slabBytes) {
      slab = Buffer.allocUnsafeSlow(slabBytes)
      used = 0
    }
    const bytes = slab.subarray(used, used + length)
    memory.copy(bytes, 0, 0, length)
    used += length
    return bytes
  }
  const push = (socket: Socket, length: number): boolean => socket.push(Buffer.from(memory.subarray(0, length)))
  return {
    begin: (socket, onBytes) => {
      // What TLS decrypts lies in memory already.
      if (places === undefined || 'encrypted' in socket) return
      const handle: unknown = Reflect.get(socket, '_handle')
      if (!takesMemory(handle) || Reflect.get(socket, places.buffer) !== null) return
      Reflect.set(socket, places.callback, (length: number): boolean => {
        if (!socket.readableFlowing || socket.readableLength > 0) return push(socket, length)
        onBytes(keep(length))
        return true
      })
      Reflect.set(socket, places.buffer, memory)
      handle.useUserBuffer(memory)
    },
    end: socket => {
      if (places === undefined || Reflect.get(socket, places.buffer) !== memory) return
      Reflect.set(socket, places.callback, (length: number) => push(socket, length))
    },
  }
}

/** Where a socket keeps its option `onread`. */
type Places = { readonly buffer: symbol; readonly callback: symbol }

const findPlaces = (): Places | undefined => {
  const onread = { buffer: new Uint8Array(1), callback: () => true }
  const socket = new Socket({ onread })
  const placeOf = (value: unknown): symbol | undefined =>
    Object.getOwnPropertySymbols(socket).find(symbol => Reflect.get(socket, symbol) === value)
  const buffer = placeOf(onread.buffer)
  const callback = placeOf(onread.callback)
  socket.destroy()
  return buffer && callback && { buffer, callback }
}

/** What is below a socket, where it can be given memory. */
const takesMemory = (handle: unknown): handle is { useUserBuffer(memory: Uint8Array): void } =>
  typeof handle === 'object' &&
  handle !== null &&
  'useUserBuffer' in handle &&
  typeof handle.useUserBuffer === 'function'
