import type { Buffer } from 'node:buffer'

/** Bytes that are remembered at a time. */
const maxBytes = 32 * 1024 * 1024

/** Remembers what was rewritten last: a client asks for a manifest in several ranges, and for its length with the list. */
export type RewriteMemory = {
  /** What is remembered under a key, or else is made. Rejects as `make` does, and remembers nothing then. */
  readonly find: (key: string, make: () => Promise<Buffer>) => Promise<Buffer>
  /** The same memory for another view of the file system: what is remembered for one is not found for another. */
  readonly ofView: () => RewriteMemory
}

export const createRewriteMemory = (): RewriteMemory => {
  /** In the order in which they were asked for. */
  const known = new Map<string, Buffer>()
  let held = 0
  const find = async (key: string, make: () => Promise<Buffer>): Promise<Buffer> => {
    const found = known.get(key)
    const bytes = found ?? (await make())
    if (known.delete(key)) held -= bytes.length
    known.set(key, bytes)
    held += bytes.length
    for (const [oldest, { length }] of known) {
      if (held <= maxBytes) break
      known.delete(oldest)
      held -= length
    }
    return bytes
  }
  let views = 0
  const ofView = (): RewriteMemory => {
    const view = ++views
    return { find: (key, make) => find(`${view} ${key}`, make), ofView }
  }
  return ofView()
}
