import { JSONRPCErrorCode } from 'json-rpc-2.0'
import { exitCodes } from '../../../admin/cli/command/failure.ts'
import { applicationErrors } from '../../../admin/rpc/errors.ts'
import { toTable } from '../markdown-table.ts'
import { reports } from '../messages/advice.ts'
import { beanAdvice } from '../messages/command-rows.ts'

/** Codes of JSON-RPC: its own, then those of the application with their names in `data.code`. */
export const rpcErrors = (): string =>
  toTable(
    ['Code', '`data.code`', 'Meaning', 'What to do'],
    [
      ...Object.entries(JSONRPCErrorCode)
        .filter(([, code]) => typeof code === 'number')
        .map(([name, code]) => [String(code), '', name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' '), ownTodo[name] ?? '']),
      ...Object.entries(applicationErrors).map(([name, { code, message }]) => [
        String(code),
        `\`${name}\``,
        message,
        beanAdvice[name]?.todo ?? '',
      ]),
    ],
  )

const ownTodo: Readonly<Record<string, string>> = {
  ParseError: 'Send JSON',
  InvalidRequest: 'Send `jsonrpc`, `id`, `method` and `params`',
  MethodNotFound: 'Use a method that `rpc.discover` lists',
  InvalidParams: 'Fix the argument that the message names',
  InternalError: reports,
}

/** How `sluice` ends. */
export const exitCodeTable = (): string =>
  toTable(
    ['Exit code', 'Meaning', 'What to do'],
    Object.entries(exitCodes).map(([name, code]) => [String(code), ...meanings[name as keyof typeof exitCodes]]),
  )

const meanings: Readonly<Record<keyof typeof exitCodes, readonly [meaning: string, todo: string]>> = {
  ok: ['done', 'Nothing'],
  failed: ['failed, or the answer to the question is no; the message has the cause', 'See the code below'],
  usage: ['the command line or a setting is wrong; nothing was changed', '`--help`, `sluice config`'],
  unreachable: ['nothing answers at the address', 'Start the server, or give its address: `--url`'],
  interrupted: ['interrupted by Ctrl+C or SIGINT; finished parts stay', 'Repeat the command'],
}
