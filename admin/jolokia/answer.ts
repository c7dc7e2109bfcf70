import type { Command, CommandContext } from './command.ts'
import { exec } from './commands/exec.ts'
import { list } from './commands/list.ts'
import { read } from './commands/read.ts'
import { search } from './commands/search.ts'
import { version } from './commands/version.ts'
import { write } from './commands/write.ts'
import { isUnexpected, toErrorMembers } from './errors.ts'
import type { ParsedRequest, RequestType } from './request.ts'

const commands: Readonly<Record<RequestType, Command>> = { read, write, exec, search, list, version }

/** Carries out one request, and gives the object that answers it, whatever happens. */
export const answerRequest = async (
  parse: () => ParsedRequest,
  context: CommandContext & { readonly now: () => number; readonly onUnexpected: (error: unknown) => void },
): Promise<Readonly<Record<string, unknown>>> => {
  /** Seconds, as the protocol has them. */
  const timestamp = Math.floor(context.now() / 1_000)
  let request: Readonly<Record<string, unknown>> = {}
  try {
    const parsed = parse()
    if (parsed.request.options.includeRequest) request = { request: parsed.echo }
    const value = await commands[parsed.request.type](parsed.request, context)
    return { ...request, value: value ?? null, timestamp, status: 200 }
  } catch (error) {
    if (isUnexpected(error)) context.onUnexpected(error)
    return { ...request, ...toErrorMembers(error), timestamp }
  }
}
