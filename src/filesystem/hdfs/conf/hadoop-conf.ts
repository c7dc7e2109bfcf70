/** Hadoop's own configuration of clients: `core-site.xml` and `hdfs-site.xml` of one directory. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseProperties } from './parse-properties.ts'

/** The value of a property, with what it refers to put in; undefined where neither file has it, or it is empty. */
export type HadoopConf = { readonly directory: string; readonly get: (name: string) => string | undefined }

/** In the order in which Hadoop reads them: the later one counts. */
const files = ['core-site.xml', 'hdfs-site.xml']

/**
 * Reads it.
 * @throws FormatError a file has another form
 * @throws TypeError the directory has neither file, or one cannot be read
 */
export const readHadoopConf = async (directory: string): Promise<HadoopConf> => {
  const properties = new Map<string, string>()
  let found = 0
  for (const name of files) {
    const file = join(directory, name)
    const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return undefined
      throw new TypeError(`Cannot read ${file}: ${cause.code ?? cause.message}`, { cause })
    })
    if (text === undefined) continue
    found++
    for (const [key, value] of parseProperties(text, file)) properties.set(key, value)
  }
  if (found === 0) throw new TypeError(`Cannot use ${directory}: expected ${files.join(' or ')} in it`)
  return { directory, get: name => expand(properties, name) || undefined }
}

/** As often as in Hadoop. */
const maxExpansions = 20

/** `${name}` is replaced by the value of that property; if it is not set it stays as it is. */
const expand = (properties: ReadonlyMap<string, string>, name: string): string => {
  let value = properties.get(name) ?? ''
  for (let times = 0; times < maxExpansions; times++) {
    const next = value.replace(/\$\{([^${}]{1,200})\}/, (all, other: string) => properties.get(other) ?? all)
    if (next === value || next.length > 10_000) break
    value = next
  }
  return value
}
