import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Text for a pipe: gathered into larger writes, and no faster than the reader takes it. */
export type Output = {
  write(text: string): Promise<void>
  /** Writes what is gathered. */
  end(): Promise<void>
}

const gatherChars = 64 << 10

export const createOutput = (stream: Writable): Output => {
  let gathered = ''
  const flush = async (): Promise<void> => {
    const text = gathered
    gathered = ''
    if (text !== '' && !stream.write(text)) await once(stream, 'drain')
  }
  return {
    write: async text => {
      gathered += text
      if (gathered.length >= gatherChars) await flush()
    },
    end: flush,
  }
}
