import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { EventContract } from '../../../src/event-contracts/contract.ts'
import { CliError } from '../command/failure.ts'
import type { SampleEvent } from './sample.ts'

/** How a schema did. */
export type Trial = {
  readonly file: string
  readonly type: string
  readonly events: number
  readonly fit: number
  /** The first that do not fit. */
  readonly misfits: readonly { readonly from: string; readonly detail: string }[]
}

/** The event type that a file of a schema is for, by its name. @throws CliError `usage` */
export const toSchemaType = (file: string): string => {
  try {
    return decodeURIComponent(basename(file).replace(/\.json$/, ''))
  } catch (cause) {
    throw new CliError(`${file}: its name is not an event type`, {
      code: 'bad-schema',
      hint: 'Give it with --type.',
      cause,
    })
  }
}

/** A schema with those beside it. @throws CliError `bad-schema` with file, line and reason */
export const openSchema = async (path: string, type: string): Promise<EventContract> => {
  const [{ compileContract }, { SchemaError }, { maxSchemaBytes }] = await Promise.all([
    import('../../../src/event-contracts/compile-contract.ts'),
    import('../../../src/event-contracts/schema-error.ts'),
    import('../../../src/event-contracts/schema-limits.ts'),
  ])
  try {
    const file = basename(path)
    const texts = new Map([[file, await readFile(path, 'utf8')]])
    for (const name of await readdir(dirname(path))) {
      const beside = join(dirname(path), name)
      const isSchema = name.endsWith('.json') && name !== file && (await stat(beside)).size <= maxSchemaBytes
      if (isSchema) texts.set(name, await readFile(beside, 'utf8'))
    }
    return compileContract({ type, file, texts })
  } catch (error) {
    if (error instanceof SchemaError)
      throw new CliError(`${join(dirname(path), error.message)}`, { code: 'bad-schema', cause: error })
    if (error instanceof Error && 'syscall' in error)
      throw new CliError(`${path} cannot be read: ${error.message}`, { code: 'unreadable', cause: error })
    throw error
  }
}

/** Tries a schema. @param limit most events that are looked at */
export const trySchema = async (
  file: string,
  contract: EventContract,
  sample: AsyncIterable<SampleEvent>,
  { limit, listed }: { readonly limit: number; readonly listed: number },
): Promise<Trial> => {
  const misfits: { from: string; detail: string }[] = []
  let events = 0
  let fit = 0
  for await (const { payload, from } of sample) {
    events++
    const detail = contract.judge(payload)
    if (detail === undefined) fit++
    else if (misfits.length < listed) misfits.push({ from, detail })
    if (events >= limit || contract.isTooSlow) break
  }
  return { file, type: contract.source.type, events, fit, misfits }
}
