// node-only: reads a file
import { readFile, stat } from 'node:fs/promises'
import { createWatched } from '../../current.ts'
import { startInterval } from '../../runtime/timers.ts'
import type { Registrar } from './registrar.ts'
import { noTypes } from './registrar.ts'
import { parseSchemaFile } from './schema-file.ts'

export type FileRegistrarOptions = {
  /** A file as of `schema-file.ts`, or a directory of JSON Schemas. */
  readonly path: string
  /** How often the file is read. */
  readonly refreshMs: number
  readonly log?: { warn(details: object, message: string): void }
}

/**
 * Schemas from a local file, read at once and then again and again. A file that cannot be used later is logged once until
 * it can be, and what was known is kept. @throws Error naming the file when it cannot be used at the start
 */
export const createFileRegistrar = async ({ path, refreshMs, log }: FileRegistrarOptions): Promise<Registrar> => {
  const known = createWatched({ ...noTypes, fields: await readSchemas(path) })
  let isFailing = false
  const refresh = async (): Promise<void> => {
    try {
      known.set({ ...noTypes, fields: await readSchemas(path) })
      isFailing = false
    } catch (err) {
      if (!isFailing)
        log?.warn({ err, path }, 'the file of registrar.path cannot be used; the previous fields remain in effect')
      isFailing = true
    }
  }
  const timer = startInterval(() => void refresh(), refreshMs).unref()
  return { fields: typeName => known.current().fields.get(typeName), known, close: () => clearInterval(timer) }
}

const readSchemas = async (path: string): Promise<ReturnType<typeof parseSchemaFile>> => {
  try {
    return parseSchemaFile(await readFile(path, 'utf8'))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`Cannot use the file of registrar.path, ${path}: ${why}`, { cause })
  }
}

/** Whether there is a directory. */
export const isSchemaDirectory = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}
