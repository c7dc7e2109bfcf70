import { createSlotIndex } from './slot-index.ts'

/** Texts that many rows share, each once, by number; an unused text is forgotten. */
export type TextPool = {
  /** The number of a text, for one more user. */
  take(text: string): number
  /** One user less. */
  release(id: number): void
  text(id: number): string
  /** The number of a text in use. */
  find(text: string): number | undefined
}

export const createTextPool = (): TextPool => {
  const index = createSlotIndex()
  const texts: string[] = []
  const users: number[] = []
  const free: number[] = []
  const find = (text: string, hash: number): number | undefined => index.find(hash, id => texts[id] === text)
  return {
    take: text => {
      const hash = hashText(text)
      const known = find(text, hash)
      if (known !== undefined) {
        users[known] = (users[known] ?? 0) + 1
        return known
      }
      const id = free.pop() ?? texts.length
      texts[id] = text
      users[id] = 1
      index.add(hash, id)
      return id
    },
    release: id => {
      const left = (users[id] ?? 0) - 1
      users[id] = left
      if (left > 0) return
      index.remove(hashText(texts[id] ?? ''), id)
      texts[id] = ''
      free.push(id)
    },
    text: id => texts[id] ?? '',
    find: text => find(text, hashText(text)),
  }
}

/** 32 bits of a text, well spread (FNV-1a with the end of MurmurHash3). */
export const hashText = (text: string): number => {
  let hash = 0x811c_9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
