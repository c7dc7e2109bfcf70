import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: { readonly start: string }
}
const words = scripts.start.split(' ')

/** The script that `npm start` runs. */
export const mainScript = join(root, words.at(-1) ?? '')

/** What `npm start` gives to Node before it: options that decide about memory. */
export const nodeOptions = words.slice(words.indexOf('node') + 1, -1)
