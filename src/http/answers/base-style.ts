// node-only: reads the file beside it
import { readFileSync } from 'node:fs'

/** Reads the style sheet that browsing pages and console share: colours and the plainest elements. */
export const readBaseStyle = (): Buffer<ArrayBuffer> => readFileSync(new URL('../static/base.css', import.meta.url))
