import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** An object, or a part of one. */
export type StoredBytes = {
  readonly bytes: Buffer
  readonly crc: number
  readonly etag: string
  readonly modified: number
}

export type StoredUpload = {
  readonly key: string
  readonly id: string
  /** ms since the epoch. */
  readonly begun: number
  readonly parts: Map<number, StoredBytes>
}

/** What a bucket holds. */
export type Stored = {
  readonly objects: Map<string, StoredBytes>
  readonly uploads: Map<string, StoredUpload>
  put(key: string, bytes: string | Uint8Array): StoredBytes
  /** Begins an upload in parts. @returns its id */
  begin(key: string, begun?: number): string
  /** Keys in the order of their bytes. */
  keys(): string[]
}

let etags = 0

export const toStored = (bytes: Uint8Array): StoredBytes => {
  const copy = Buffer.from(bytes)
  return { bytes: copy, crc: crc32(copy), etag: `"${++etags}-etag"`, modified: Date.UTC(2026, 0, 2, 3, 4, 5) }
}

export const createStored = (): Stored => {
  const objects = new Map<string, StoredBytes>()
  const uploads = new Map<string, StoredUpload>()
  return {
    objects,
    uploads,
    begin: (key, begun = Date.now()) => {
      const id = randomUUID()
      uploads.set(id, { key, id, begun, parts: new Map() })
      return id
    },
    put: (key, bytes) => {
      const stored = toStored(Buffer.from(bytes))
      objects.set(key, stored)
      return stored
    },
    keys: () => [...objects.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  }
}
