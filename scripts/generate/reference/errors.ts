import { JSONRPCErrorCode } from 'json-rpc-2.0'
import { exitCodes } from '../../../admin/cli/command/failure.ts'
import { applicationErrors } from '../../../admin/rpc/errors.ts'
import { toTable } from '../markdown-table.ts'

/** Codes of JSON-RPC: its own, then those of the application with their names in `data.code`. */
export const rpcErrors = (): string =>
  toTable(
    ['Code', '`data.code`', 'Meaning'],
    [
      ...Object.entries(JSONRPCErrorCode)
        .filter(([, code]) => typeof code === 'number')
        .map(([name, code]) => [String(code), '', name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')]),
      ...Object.entries(applicationErrors).map(([name, { code, message }]) => [String(code), `\`${name}\``, message]),
    ],
  )

/** How `sluice` ends. */
export const exitCodeTable = (): string =>
  toTable(
    ['Exit code', 'Meaning'],
    Object.entries(exitCodes).map(([name, code]) => [String(code), meanings[name as keyof typeof exitCodes]]),
  )

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'done',
  failed: 'failed, or the answer to the question is no; the message has the cause',
  usage: 'the command line or a setting is wrong; nothing was changed',
  unreachable: 'nothing answers at the address',
}
