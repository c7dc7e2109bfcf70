import { drained, writeOut } from './terminal.ts'

/** Text for standard output: gathered into larger writes, and no faster than the reader takes it. */
export type Output = {
  write(text: string): Promise<void>
  /** Writes what is gathered. */
  end(): Promise<void>
}

const gatherChars = 64 << 10

/** Makes an output; `end` has to be called. */
export const createOutput = (): Output => {
  let gathered = ''
  const flush = async (): Promise<void> => {
    const text = gathered
    gathered = ''
    if (text !== '' && !writeOut(text)) await drained()
  }
  return {
    write: async text => {
      gathered += text
      if (gathered.length >= gatherChars) await flush()
    },
    end: flush,
  }
}
