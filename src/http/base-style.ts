// node-only: reads the file beside it
import { existsSync, readFileSync } from 'node:fs'

/** Reads the style sheet that browsing pages and console share: colours and the plainest elements. */
export const readBaseStyle = (): Buffer<ArrayBuffer> => {
  const beside = new URL('./static/base.css', import.meta.url)
  return readFileSync(existsSync(beside) ? beside : new URL('../../../src/http/static/base.css', import.meta.url))
}
